package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"runtime/debug"
	"strings"
	"time"
)

// These types have those parts of SPDX 2.3 (spdx.github.io/spdx-spec/v2.3) that the SBOM of a Go program needs.
type (
	spdxDocument struct {
		SPDXVersion       string             `json:"spdxVersion"`
		DataLicense       string             `json:"dataLicense"`
		SPDXID            string             `json:"SPDXID"` //nolint:tagliatelle // SPDX's name.
		Name              string             `json:"name"`
		DocumentNamespace string             `json:"documentNamespace"`
		CreationInfo      spdxCreation       `json:"creationInfo"`
		Packages          []spdxPackage      `json:"packages"`
		Relationships     []spdxRelationship `json:"relationships"`
	}

	spdxCreation struct {
		Created  string   `json:"created"`
		Creators []string `json:"creators"`
	}

	spdxPackage struct {
		Name                  string         `json:"name"`
		SPDXID                string         `json:"SPDXID"` //nolint:tagliatelle // SPDX's name.
		VersionInfo           string         `json:"versionInfo"`
		PackageFileName       string         `json:"packageFileName,omitempty"`
		Supplier              string         `json:"supplier"`
		DownloadLocation      string         `json:"downloadLocation"`
		FilesAnalyzed         bool           `json:"filesAnalyzed"`
		Checksums             []spdxChecksum `json:"checksums,omitempty"`
		SourceInfo            string         `json:"sourceInfo,omitempty"`
		LicenseConcluded      string         `json:"licenseConcluded"`
		LicenseDeclared       string         `json:"licenseDeclared"`
		CopyrightText         string         `json:"copyrightText"`
		ExternalRefs          []spdxRef      `json:"externalRefs"`
		PrimaryPackagePurpose string         `json:"primaryPackagePurpose"`
	}

	spdxChecksum struct {
		Algorithm     string `json:"algorithm"`
		ChecksumValue string `json:"checksumValue"`
	}

	spdxRef struct {
		ReferenceCategory string `json:"referenceCategory"`
		ReferenceType     string `json:"referenceType"`
		ReferenceLocator  string `json:"referenceLocator"`
	}

	spdxRelationship struct {
		SPDXElementID      string `json:"spdxElementId"` //nolint:tagliatelle // SPDX's name.
		RelationshipType   string `json:"relationshipType"`
		RelatedSPDXElement string `json:"relatedSpdxElement"`
	}
)

const (
	spdxSelf = "SPDXRef-DOCUMENT"
	noSay    = "NOASSERTION"
)

// An identifier of SPDX has no such characters.
var notID = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

// sbom returns the SPDX document of a program, the modules that are linked into it, and Go's own library. It depends on the
// source and the program alone.
func sbom(src source, platform string, binary []byte, info *debug.BuildInfo) ([]byte, error) {
	sum := sha256.Sum256(binary)
	digest := hex.EncodeToString(sum[:])

	self := goPackage(info.Main.Path, src.Version)
	self.Name = packageName
	self.PackageFileName = functionFile
	self.Supplier = "Organization: " + vendor
	self.DownloadLocation = "git+" + sourceURL + "@" + strings.TrimSuffix(src.Revision, "-dirty")
	self.Checksums = []spdxChecksum{{Algorithm: "SHA256", ChecksumValue: digest}}
	self.LicenseConcluded, self.LicenseDeclared = license, license
	self.PrimaryPackagePurpose = "APPLICATION"

	d := spdxDocument{
		SPDXVersion:       "SPDX-2.3",
		DataLicense:       "CC0-1.0",
		SPDXID:            spdxSelf,
		Name:              packageName + "-" + strings.ReplaceAll(platform, "/", "-"),
		DocumentNamespace: sourceURL + "/spdx/" + digest,
		CreationInfo:      spdxCreation{Created: src.Time.Format(time.RFC3339), Creators: []string{"Organization: " + vendor, "Tool: package/build"}},
		Packages:          []spdxPackage{self},
		Relationships:     []spdxRelationship{{SPDXElementID: spdxSelf, RelationshipType: "DESCRIBES", RelatedSPDXElement: self.SPDXID}},
	}

	add := func(p spdxPackage) {
		d.Packages = append(d.Packages, p)
		d.Relationships = append(d.Relationships, spdxRelationship{SPDXElementID: self.SPDXID, RelationshipType: "CONTAINS", RelatedSPDXElement: p.SPDXID})
	}

	for _, m := range linked(info) {
		p := goPackage(m.Path, m.Version)
		if m.Sum != "" {
			p.SourceInfo = "go.sum: " + m.Sum
		}

		add(p)
	}

	out, err := json.MarshalIndent(d, "", "  ")

	return append(out, '\n'), err
}

// stdlib is the name of Go's own library for scanners.
const stdlib = "stdlib"

// linked returns the modules in a program beside its own, Go's library first.
func linked(info *debug.BuildInfo) []debug.Module {
	out := []debug.Module{{Path: stdlib, Version: strings.TrimPrefix(info.GoVersion, "go")}}

	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}

		out = append(out, *m)
	}

	return out
}

// goPackage returns a module of Go with its package URL, as scanners know it.
func goPackage(path, version string) spdxPackage {
	return spdxPackage{
		Name:             path,
		SPDXID:           "SPDXRef-Package-" + notID.ReplaceAllString(path+"-"+version, "-"),
		VersionInfo:      version,
		Supplier:         noSay,
		DownloadLocation: noSay,
		LicenseConcluded: noSay,
		LicenseDeclared:  noSay,
		CopyrightText:    noSay,
		ExternalRefs: []spdxRef{{
			ReferenceCategory: "PACKAGE-MANAGER",
			ReferenceType:     "purl",
			ReferenceLocator:  "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B"),
		}},
		PrimaryPackagePurpose: "LIBRARY",
	}
}
