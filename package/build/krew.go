package main

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// krewFile is the manifest of the plugin for krew, the package manager of kubectl's plugins. A release has it.
const krewFile = "cloudtags.krew.yaml"

// repository is the address of the source and its releases.
const repository = "https://github.com/plexsphere/function-cloud-tags"

// A krewPlugin is a manifest of krew: see Plugin in https://github.com/kubernetes-sigs/krew/blob/v0.4.3/pkg/index/types.go.
type krewPlugin struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Metadata   krewMetadata   `json:"metadata"`
	Spec       krewPluginSpec `json:"spec"`
}

type krewMetadata struct {
	Name string `json:"name"`
}

type krewPluginSpec struct {
	Version          string         `json:"version"`
	Homepage         string         `json:"homepage"`
	ShortDescription string         `json:"shortDescription"`
	Description      string         `json:"description"`
	Platforms        []krewPlatform `json:"platforms"`
}

// A krewPlatform has the archive for an operating system and an architecture, and the program Bin in the archive.
type krewPlatform struct {
	Selector krewSelector `json:"selector"`
	URI      string       `json:"uri"`
	SHA256   string       `json:"sha256"`
	Bin      string       `json:"bin"`
}

type krewSelector struct {
	MatchLabels map[string]string `json:"matchLabels"`
}

// newKrewPlugin returns the manifest of the version, without platforms.
func newKrewPlugin(version string) *krewPlugin {
	return &krewPlugin{
		APIVersion: "krew.googlecontainertools.github.com/v1alpha2", Kind: "Plugin", Metadata: krewMetadata{Name: "cloudtags"},
		Spec: krewPluginSpec{
			Version: version, Homepage: repository, ShortDescription: "Show which labels become cloud tags",
			Description: "Shows which labels of Crossplane's composite resources become tags in the cloud, and which resources lack tags.\n",
		},
	}
}

// add adds the archive of the name for the platform, such as linux/amd64.
func (p *krewPlugin) add(platform, name, program string, archive []byte) {
	system, arch, _ := strings.Cut(platform, "/")
	sum := sha256.Sum256(archive)

	p.Spec.Platforms = append(p.Spec.Platforms, krewPlatform{
		Selector: krewSelector{MatchLabels: map[string]string{"os": system, "arch": arch}},
		URI:      repository + "/releases/download/" + p.Spec.Version + "/" + name, SHA256: hex.EncodeToString(sum[:]), Bin: program,
	})
}
