package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// The program as a plugin of kubectl, in an archive per platform.
const (
	pluginName    = "kubectl-cloudtags"
	checksumsFile = "checksums.txt"
)

// binaryPlatforms are the platforms of the program. The package has it for the first two.
var binaryPlatforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// completion is the program completionName, which kubectl asks how a command line of the plugin may go on.
const (
	completionName = "kubectl_complete-cloudtags"
	completion     = "#!/bin/sh\nexec kubectl cloudtags __complete \"$@\"\n"
)

// writeBinaries writes an archive per platform, with the program as a plugin of kubectl and its licenses, and an SBOM. A manifest
// for krew has all archives. It also writes the checksums of these and of the files in also, as sha256sum --check reads them. It builds no program twice.
func writeBinaries(ctx context.Context, src source, platforms []string, built []image, folder string, progress io.Writer) error {
	var sums strings.Builder

	write := func(name string, content []byte) error {
		_, _ = fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(content), name)
		return os.WriteFile(filepath.Join(folder, name), content, 0o644) //nolint:gosec // The names are ours, in the folder that was asked for.
	}

	plugin := newKrewPlugin(src.Version)

	for _, platform := range platforms {
		fn, err := programOf(ctx, src, platform, built, progress)
		if err != nil {
			return err
		}

		program := pluginName
		if strings.HasPrefix(platform, "windows/") {
			program += ".exe"
		}

		archive, err := archiveOf(src, filesOf(fn, program)...)
		if err != nil {
			return err
		}

		base := pluginName + "-" + strings.ReplaceAll(platform, "/", "-")
		plugin.add(platform, base+".tar.gz", program, archive)

		if err := errors.Join(write(base+".tar.gz", archive), write(base+".spdx.json", fn.sbom)); err != nil {
			return err
		}
	}

	manifest, err := yaml.Marshal(plugin)
	if err != nil {
		return err
	}

	if err := errors.Join(writeData(ctx, src, write), write(krewFile, manifest)); err != nil {
		return err
	}

	return os.WriteFile(filepath.Join(folder, checksumsFile), []byte(sums.String()), 0o644)
}

// filesOf returns the files of an archive: the program with the name, its licenses, and the completion for shells that run it.
func filesOf(fn function, program string) []file {
	files := append([]file{{name: program, mode: 0o755, content: fn.binary}}, fn.licenses...)
	if program == pluginName { // Windows runs no scripts of this kind.
		files = append(files, file{name: completionName, mode: 0o755, content: []byte(completion)})
	}

	return files
}

// writeData writes the schemas and the index.
func writeData(ctx context.Context, src source, write func(name string, content []byte) error) error {
	for _, path := range schemaFiles {
		schema, err := os.ReadFile(filepath.Join(src.Root, filepath.FromSlash(path)))
		if err != nil {
			return err
		}

		if err := write(filepath.Base(path), schema); err != nil {
			return err
		}
	}

	env, err := platformEnvironment(ctx, src, runtime.GOOS+"/"+runtime.GOARCH)
	if err != nil {
		return err
	}

	index, err := runWith(ctx, env, src.Root, "go", "run", "-mod=readonly", "-trimpath", "-buildvcs=false", ".", "index", "--output=json")
	if err != nil {
		return err
	}

	return write(indexFile, index)
}

// indexFile is the built-in index as data. A release has it, too.
const indexFile = "cloudtags.index.json"

// schemaFiles are schemas in a release: of the input, for editors, and of the index.
var schemaFiles = []string{"input/v1beta1/cloudtags.schema.json", "tags/field/cloudtags.index.schema.json"}

// programOf returns the program for the platform. It builds the program unless the package has it.
func programOf(ctx context.Context, src source, platform string, built []image, progress io.Writer) (function, error) {
	if i := slices.IndexFunc(built, func(i image) bool { return i.platform == platform }); i >= 0 {
		return built[i].function, nil
	}

	_, _ = fmt.Fprintf(progress, "building %s …\n", platform)

	return buildFunction(ctx, src, platform)
}

// archiveOf returns an archive of the files. The same source gives the same archive.
func archiveOf(src source, files ...file) ([]byte, error) {
	var out bytes.Buffer

	packed, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}

	w := tar.NewWriter(packed)

	for _, f := range files {
		if err := w.WriteHeader(&tar.Header{
			Typeflag: tar.TypeReg, Name: f.name, Mode: int64(f.mode), Size: int64(len(f.content)), ModTime: src.Time, Format: tar.FormatUSTAR,
		}); err != nil {
			return nil, err
		}

		if _, err := w.Write(f.content); err != nil {
			return nil, err
		}
	}

	err = errors.Join(w.Close(), packed.Close())

	return out.Bytes(), err
}

// checkFormat returns an error if the program isn't for the platform, or if it is for Linux and needs libraries.
func checkFormat(platform string, binary []byte) error {
	system, arch, _ := strings.Cut(platform, "/")

	got, err := formatOf(system, binary)
	if err != nil {
		return fmt.Errorf("the program for %s has another format: %w", platform, err)
	}

	if got != arch {
		return fmt.Errorf("the program for %s is one for %s", platform, got)
	}

	return nil
}

// formatOf returns the architecture of the program.
func formatOf(system string, binary []byte) (string, error) {
	switch system {
	case "linux":
		f, err := elf.NewFile(bytes.NewReader(binary))
		if err != nil {
			return "", err
		}

		if slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC }) {
			return "", errors.New("it is not static")
		}

		return map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64"}[f.Machine], nil

	case "darwin":
		f, err := macho.NewFile(bytes.NewReader(binary))
		if err != nil {
			return "", err
		}

		return map[macho.Cpu]string{macho.CpuAmd64: "amd64", macho.CpuArm64: "arm64"}[f.Cpu], nil

	case "windows":
		f, err := pe.NewFile(bytes.NewReader(binary))
		if err != nil {
			return "", err
		}

		return map[uint16]string{pe.IMAGE_FILE_MACHINE_AMD64: "amd64", pe.IMAGE_FILE_MACHINE_ARM64: "arm64"}[f.Machine], nil
	}

	return "", fmt.Errorf("the format of %s is not known", system)
}
