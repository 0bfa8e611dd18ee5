package facts

import (
	"crypto/sha256"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/plexsphere/function-cloud-tags/tags/field/crds"
)

// Once reads the definitions of releases, in which most files are as they were in the
// release before: each is read once.
type Once[T any] struct {
	Reader crds.Reader

	known map[[sha256.Size]byte][]T
}

// Read what the supplied function makes of the definitions at the supplied path, which is
// a folder or a package.
func (o *Once[T]) Read(path string, of func(crds.Definition) T) ([]T, error) {
	var all []T

	if o.known == nil {
		o.known = make(map[[sha256.Size]byte][]T)
	}

	err := filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}

		b, err := os.ReadFile(path) //nolint:gosec // The maintainer wants us to.
		if err != nil {
			return err
		}

		hash := sha256.Sum256(b)

		found, ok := o.known[hash]
		if !ok {
			if err := o.Reader.Read([]string{path}, func(d crds.Definition) { found = append(found, of(d)) }); err != nil {
				return err
			}

			o.known[hash] = found
		}

		all = append(all, found...)

		return nil
	})

	return all, err
}
