package coverage

import (
	"encoding/json"

	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/tags/words"
)

const (
	// MaxTotals is the most bytes of what Totals returns, as JSON. It is kept in etcd, where an
	// object has 1.5 MB at most.
	MaxTotals = 32 << 10

	// MaxBytes is the most bytes of what Cut returns, as YAML. It is kept there, too.
	MaxBytes = 256 << 10

	// maxList is the most bytes of a list of resources, as YAML.
	maxList = 32 << 10

	// maxKeys is the most keys of a group, and maxReasons the most that a resource lacks, breaks, or
	// has of other values in the cloud.
	maxKeys    = 32
	maxReasons = 5
)

// Totals are the report without lists, and with as many keys of each group as fit into
// MaxTotals.
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

// Cut is the report with the totals as Totals has them, and with as many resources of each list
// as fit into MaxBytes.
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

// cut is the group with so many keys at most.
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

// cut is the resource with short texts, and few reasons.
func (r *Resource) cut() *Resource {
	out := *r

	for _, text := range []*string{&out.APIVersion, &out.Kind, &out.Namespace, &out.Name, &out.Composite, &out.Why} {
		*text = short(*text)
	}

	out.Missing = words.Map(first(r.Missing, maxReasons), short)
	out.Wrong = words.Map(first(r.Wrong, maxReasons), func(w Wrong) Wrong { return Wrong{Key: short(w.Key), What: short(w.What)} })
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

// short returns a name, key or value that isn't too long. It is data, which nothing is quoted in.
func short(text string) string { return words.Shorten(text, words.MaxName) }

// first returns as many of the things at most.
func first[T any](items []T, limit int) []T { return items[:min(len(items), limit)] }
