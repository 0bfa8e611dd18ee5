package coverage

import (
	"encoding/json"

	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/tags/words"
)

const (
	// MaxTotals is the limit of Totals, in bytes of JSON. The API server keeps it in etcd, where an object has at most 1.5 MB.
	MaxTotals = 32 << 10

	// MaxBytes is the limit of Cut, in bytes of YAML. It is kept in etcd, too.
	MaxBytes = 256 << 10

	// maxList is the limit of a list of resources, in bytes of YAML.
	maxList = 32 << 10

	// maxKeys limits the keys of a group. maxReasons limits the tags of a resource that are missing, wrong or drifted, each.
	maxKeys    = 32
	maxReasons = 5
)

// Totals returns the report without lists. Each group has as many keys as fit into MaxTotals.
func (r *Report) Totals() *Report {
	out := *r
	out.Lists, out.Hints = nil, nil

	for limit := maxKeys; ; limit /= 2 {
		out.Keys = words.Map(first(r.Keys, limit), short)
		out.Total = r.Total.cut(limit)
		out.Groups = words.Map(r.Groups, func(g *Group) *Group { return g.cut(limit) })

		j, _ := json.Marshal(&out) //nolint:errchkjson // Nothing in it can fail.
		if len(j) <= MaxTotals || limit == 0 {
			return &out
		}
	}
}

// Cut returns the totals and the first resources of each list. A list has at most 32 KiB of YAML, and all of it at most MaxBytes.
// More has the number of resources that are left out of each list.
func (r *Report) Cut() *Report {
	out := r.Totals()
	out.More = make(map[string]int)

	for _, l := range r.Lists {
		kept := List{Name: l.Name}

		for size := 0; len(kept.Resources) < len(l.Resources); {
			r := l.Resources[len(kept.Resources)].cut()

			y, _ := yaml.Marshal([]*Resource{r}) // Nothing in it can fail.
			if size += len(y); size > maxList {
				out.More[l.Name] = len(l.Resources) - len(kept.Resources)
				break
			}

			kept.Resources = append(kept.Resources, r)
		}

		out.Lists = append(out.Lists, kept)
	}

	return out
}

// cut returns the group with at most limit keys.
func (g *Group) cut(limit int) *Group {
	out := *g
	out.MoreKeys = max(0, len(g.Keys)-limit)
	out.Keys = words.Map(first(g.Keys, limit), func(n *KeyCount) *KeyCount {
		kept := *n
		kept.Key = short(n.Key)

		return &kept
	})

	return &out
}

// cut returns the resource with short texts, and few reasons.
func (r *Resource) cut() *Resource {
	out := *r

	for _, text := range []*string{&out.APIVersion, &out.Kind, &out.Namespace, &out.Name, &out.Composite, &out.Why} {
		*text = short(*text)
	}

	out.Missing = words.Map(first(r.Missing, maxReasons), short)
	out.Wrong = words.Map(first(r.Wrong, maxReasons), func(w Wrong) Wrong { return Wrong{Key: short(w.Key), Breach: short(w.Breach)} })
	out.Drift = words.Map(first(r.Drift, maxReasons), func(d Drift) Drift {
		d.Key, d.Desired = short(d.Key), short(d.Desired)
		if d.Cloud != nil {
			d.Cloud = new(short(*d.Cloud))
		}

		return d
	})
	out.More = len(r.Missing) + len(r.Wrong) + len(r.Drift) - len(out.Missing) - len(out.Wrong) - len(out.Drift)

	return &out
}

// short returns a name, key or value without its middle if it is long. Nothing is quoted, since the text is data.
func short(text string) string { return words.Shorten(text, words.MaxName) }

// first returns the items up to the limit.
func first[T any](items []T, limit int) []T { return items[:min(len(items), limit)] }
