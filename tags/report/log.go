package report

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// maxResources is the most resources that a log line names.
const maxResources = 10

// provisioned returns an attribute with the name of the composite resource, after its namespace if it has one.
func (r *Run) provisioned() slog.Attr {
	name := strings.TrimPrefix(object.Namespace(r.xr)+"/"+object.Name(r.xr), "/")

	return slog.String("provisioned_resource", words.Shorten(name, words.MaxText)) // Kubernetes has no longer names.
}

// logOf returns the log of the run. Each line has the digest of its messages.
func (r *Run) logOf(digest string) *slog.Logger {
	return r.Log.With(r.provisioned(), slog.String("digest", digest))
}

// LogLabels writes a debug log line for each label, with its source and the sources that it overrode.
func (r *Run) LogLabels(ctx context.Context) {
	if !r.Log.Enabled(ctx, slog.LevelDebug) {
		return
	}

	overrode := make(map[string][]string)
	for _, o := range r.Set.Overridden {
		overrode[o.TagKey] = append(overrode[o.TagKey], o.Source.Name)
	}

	for _, l := range r.Set.Labels {
		r.Log.LogAttrs(ctx, slog.LevelDebug, "Resolved label",
			r.provisioned(),
			slog.String("qualified_key", l.QualifiedKey),
			slog.String("source", l.Source.Name),
			slog.Any("overrode", overrode[l.TagKey]),
		)
	}
}

// logSkips writes one line for each skipped label, and one line for all labels beyond the most that a set may have.
func logSkips(ctx context.Context, log *slog.Logger, f *findings) {
	if f.surplus > 0 {
		log.LogAttrs(ctx, slog.LevelWarn, "Skipped labels", slog.Int("labels", f.surplus), slog.String("reason", string(profile.CountCap)))
	}

	for _, s := range f.Skips {
		attrs := []slog.Attr{
			slog.String("qualified_key", s.QualifiedKey),
			slog.String("tag_key", s.TagKey),
			slog.String("provider", s.Provider),
			slog.String("reason", string(s.Reason)),
		}

		if len(s.Sources) > 0 {
			attrs = append(attrs, slog.String("source", words.Names(s.Sources)))
		}

		n := len(s.Resources)
		if n > 0 {
			attrs = append(attrs, slog.Any("composed_resources", s.Resources[:min(n, maxResources)]))
		}

		if more := n + s.More - maxResources; more > 0 {
			attrs = append(attrs, slog.Int("more_composed_resources", more))
		}

		log.LogAttrs(ctx, slog.LevelWarn, "Skipped label", attrs...)
	}
}

// logChanges writes one line for each resource with changed tags, or with changed labels that are handed on. It names
// their keys. It has their values only if somebody asks for them, since values can be private.
func (r *Run) logChanges(ctx context.Context, log *slog.Logger, results []stamp.Result) {
	for i := range results {
		result := &results[i]

		c := &result.Changes
		if c.IsEmpty() {
			continue
		}

		message := "Changed cloud tags"
		if result.HandsLabelsOn {
			message = "Changed labels"
		}

		log.LogAttrs(ctx, slog.LevelInfo, message,
			slog.String("composed_resource", result.Resource),
			slog.String("api_version", result.APIVersion),
			slog.String("kind", result.Kind),
			r.changed("added", c.Added, func(v stamp.Values) slog.Value { return slog.StringValue(v.After) }),
			r.changed("changed", c.Changed, func(v stamp.Values) slog.Value {
				return slog.GroupValue(slog.String("from", v.Before), slog.String("to", v.After))
			}),
			r.changed("removed", c.Removed, func(v stamp.Values) slog.Value { return slog.StringValue(v.Before) }),
		)
	}
}

// changed returns an attribute with the name and the tags, or nothing if there are none.
func (r *Run) changed(name string, tags map[string]stamp.Values, value func(stamp.Values) slog.Value) slog.Attr {
	if len(tags) == 0 {
		return slog.Attr{}
	}

	keys := slices.Sorted(maps.Keys(tags))

	if !r.AuditValues {
		return slog.Any(name, keys)
	}

	return slog.GroupAttrs(name, words.Map(keys, func(key string) slog.Attr { return slog.Attr{Key: key, Value: value(tags[key])} })...)
}
