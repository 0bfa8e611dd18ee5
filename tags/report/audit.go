package report

import (
	"context"
	"log/slog"
	"maps"
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags/stamp"
)

// audit writes one line for each resource whose tags change. It names their keys, and
// has their values only if it is asked for, since these can be private.
func (r *Run) audit(ctx context.Context, changes []stamp.Change) {
	for _, c := range changes {
		attrs := []slog.Attr{
			slog.String("provisioned_resource", nameOf(r.Request)),
			slog.String("composed_resource", c.Resource),
			slog.String("api_version", c.APIVersion),
			slog.String("kind", c.Kind),
		}

		for _, of := range []struct {
			name string
			tags map[string]stamp.Values
		}{{"added", c.Added}, {"changed", c.Changed}, {"removed", c.Removed}} {
			if len(of.tags) > 0 {
				attrs = append(attrs, r.tags(of.name, of.tags))
			}
		}

		r.Log.LogAttrs(ctx, slog.LevelInfo, "Changed cloud tags", attrs...)
	}
}

// tags is an attribute of the supplied name with the supplied tags.
func (r *Run) tags(name string, of map[string]stamp.Values) slog.Attr {
	keys := slices.Sorted(maps.Keys(of))
	if !r.AuditValues {
		return slog.Any(name, keys)
	}

	values := make([]any, 0, len(keys))

	for _, key := range keys {
		switch v := of[key]; name {
		case "added":
			values = append(values, slog.String(key, v.After))
		case "removed":
			values = append(values, slog.String(key, v.Before))
		default:
			values = append(values, slog.Group(key, slog.String("from", v.Before), slog.String("to", v.After)))
		}
	}

	return slog.Group(name, values...)
}
