package report

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/budget"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// maxResources is the most resources that a log line names.
const maxResources = 10

// lastLines is how many bytes of the log are kept for the lines that come last: the error of a run, and how many lines more there were.
const lastLines = 4 * words.MaxFatal

// A runLog writes the log lines of one run, as long as its Budget has room for them.
type runLog struct {
	*slog.Logger

	budget *budget.Budget

	// sizer writes to size, to know the bytes of a line.
	sizer *slog.Logger
	size  *size

	// leftOut is how many lines there was no room for.
	leftOut int
}

// A size is the number of bytes that were written.
type size int

// Write counts the bytes.
func (s *size) Write(b []byte) (int, error) {
	*s += size(len(b))
	return len(b), nil
}

// newRunLog returns a runLog to the log, whose lines all have the attributes. It keeps room for lastLines.
func newRunLog(log *slog.Logger, b *budget.Budget, attrs ...any) *runLog {
	counted := new(size)
	b.ChargeLog(lastLines)

	return &runLog{
		Logger: log.With(attrs...), budget: b,
		sizer: slog.New(slog.NewJSONHandler(counted, &slog.HandlerOptions{Level: slog.LevelDebug})).With(attrs...), size: counted,
	}
}

// line writes a line, or counts it if there is no room.
func (l *runLog) line(ctx context.Context, level slog.Level, message string, attrs ...slog.Attr) {
	if !l.Enabled(ctx, level) {
		return
	}

	if l.leftOut == 0 {
		*l.size = 0
		l.sizer.LogAttrs(ctx, level, message, attrs...)
	}

	if l.leftOut > 0 || !l.budget.ChargeLog(int(*l.size)) {
		l.leftOut++
		return
	}

	l.LogAttrs(ctx, level, message, attrs...)
}

// end says how many lines were left out, if any.
func (l *runLog) end(ctx context.Context) {
	if l.leftOut > 0 {
		l.LogAttrs(ctx, slog.LevelWarn, "Left out log lines", slog.Int("lines", l.leftOut), slog.Int("limit_bytes", budget.MaxLog))
	}
}

// short returns a name, key or value for a log line. JSON makes all of it visible.
func short(text string) string { return words.Shorten(text, words.MaxName) }

// provisioned returns an attribute with the name of the composite resource, after its namespace if it has one.
func (r *Run) provisioned() slog.Attr {
	name := strings.TrimPrefix(object.Namespace(r.xr)+"/"+object.Name(r.xr), "/")

	return slog.String("provisioned_resource", words.Shorten(name, words.MaxText)) // Kubernetes has no longer names.
}

// logOf returns the log of the run. Each line has the digest of its messages.
func (r *Run) logOf(digest string) *runLog {
	return newRunLog(r.Log, r.Budget, r.provisioned(), slog.String("digest", digest))
}

// LogLabels writes a debug log line for each label, with its source and the sources that it overrode.
func (r *Run) LogLabels(ctx context.Context, set *resolve.LabelSet) {
	if !r.Log.Enabled(ctx, slog.LevelDebug) {
		return
	}

	log := newRunLog(r.Log, r.Budget, r.provisioned())
	defer log.end(ctx)

	overrode := make(map[string][]string)
	for _, o := range set.Overridden {
		overrode[o.TagKey] = append(overrode[o.TagKey], o.Source.Name)
	}

	for _, l := range set.Labels {
		log.line(ctx, slog.LevelDebug, "Resolved label",
			slog.String("qualified_key", short(l.QualifiedKey)),
			slog.String("source", l.Source.Name),
			slog.Any("overrode", overrode[l.TagKey]),
		)
	}
}

// logSkips writes one line for each skipped label, and one line for all labels beyond the most that a set may have.
func logSkips(ctx context.Context, log *runLog, f *findings) {
	if f.surplus > 0 {
		log.line(ctx, slog.LevelWarn, "Skipped labels", slog.Int("labels", f.surplus), slog.String("reason", string(profile.CountCap)))
	}

	for _, s := range f.Skips {
		attrs := []slog.Attr{
			slog.String("qualified_key", short(s.QualifiedKey)),
			slog.String("tag_key", short(s.TagKey)),
			slog.String("provider", s.Provider),
			slog.String("reason", string(s.Reason)),
		}

		if len(s.Sources) > 0 {
			attrs = append(attrs, slog.String("source", words.Names(s.Sources)))
		}

		n := len(s.Resources)
		if n > 0 {
			attrs = append(attrs, slog.Any("composed_resources", words.Map(s.Resources[:min(n, maxResources)], short)))
		}

		if more := n + s.More - maxResources; more > 0 {
			attrs = append(attrs, slog.Int("more_composed_resources", more))
		}

		log.line(ctx, slog.LevelWarn, "Skipped label", attrs...)
	}
}

// logChanges writes one line for each resource with changed tags, or with changed labels that are handed on. It names
// their keys. It has their values only if somebody asks for them, since values can be private.
func (r *Run) logChanges(ctx context.Context, log *runLog, results []stamp.Result) {
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

		log.line(ctx, slog.LevelInfo, message, slices.Concat(
			[]slog.Attr{
				slog.String("composed_resource", short(result.Resource)),
				slog.String("api_version", short(result.APIVersion)),
				slog.String("kind", short(result.Kind)),
			},
			r.changed("added", c.Added, c.MoreAdded, func(v stamp.Values) slog.Value { return slog.StringValue(short(v.After)) }),
			r.changed("changed", c.Changed, c.MoreChanged, func(v stamp.Values) slog.Value {
				return slog.GroupValue(slog.String("from", short(v.Before)), slog.String("to", short(v.After)))
			}),
			r.changed("removed", c.Removed, c.MoreRemoved, func(v stamp.Values) slog.Value { return slog.StringValue(short(v.Before)) }),
		)...)
	}
}

// changed returns an attribute with the name and the tags, and one with how many more tags there are. There is neither if there are
// no tags.
func (r *Run) changed(name string, tags map[string]stamp.Values, more int, value func(stamp.Values) slog.Value) (out []slog.Attr) {
	keys := slices.Sorted(maps.Keys(tags))

	switch {
	case len(keys) == 0:
		return nil
	case r.AuditValues:
		out = append(out, slog.GroupAttrs(name, words.Map(keys, func(key string) slog.Attr { return slog.Attr{Key: short(key), Value: value(tags[key])} })...))
	default:
		out = append(out, slog.Any(name, words.Map(keys, short)))
	}

	if more > 0 {
		out = append(out, slog.Int("more_"+name, more))
	}

	return out
}
