package v1beta1

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/plexsphere/function-cloud-tags/tags/expression"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// maxExpressions is how many expressions an input may have, and maxExpressionsSize how many parts these may
// have.
const (
	maxExpressions     = 256
	maxExpressionsSize = 20_000
)

// MaxHops is how many objects may lead from one to the next. Crossplane fetches at most five times for a step
// (MaxRequirementsIterations in its internal/xfn), and then calls the function once more. The object of a
// standard is one of them.
const MaxHops = 5

// compiled expressions, by their text and what their value is to be.
type compiled map[expression.ValueType]map[string]expression.Expression

// A place is where an expression is in the input, before it is compiled.
type place struct {
	path   *field.Path
	text   string
	result expression.ValueType
}

// A find stands for the objects of sources of type RequiredResource with one name.
type find struct {
	// sources is how many there are, and before how many of them come before what is checked.
	sources, before int

	// level is how many objects lead to these, and themselves.
	level int

	trusted bool
}

// An expressionCheck compiles the expressions of an input, and refuses what they may not read.
type expressionCheck struct {
	*admission

	finds map[string]find

	// size is how many parts the expressions have that have no mistake.
	size int
}

// expressions compiles the expressions of the input, within the limits.
func expressions(a *admission, p *field.Path, in self) {
	a.compiled = make(compiled)
	c := &expressionCheck{admission: a, finds: make(map[string]find)}
	at := p.Child("sources")
	sources, all := in.at("sources").GetListValue().GetValues(), 0

	for _, v := range sources {
		s := self{v}
		all += len(s.at("expressions").GetStructValue().GetFields()) + len(placesOf(at, s, includeParts)) + len(placesOf(at, s, selectorParts))

		if s.text("type") == string(SourceTypeRequiredResource) {
			f := c.finds[s.text("name")]
			f.sources++
			c.finds[s.text("name")] = f
		}
	}

	for _, v := range in.at("kubernetesMetadata").GetListValue().GetValues() {
		s := self{(self{v}).at("source")}
		all += len(placesOf(at, s, metadataParts)) + len(placesOf(at, s, selectorParts))
	}

	if all > maxExpressions {
		a.refuse(at, fmt.Sprintf("must have at most %d expressions, not %d", maxExpressions, all))
		return
	}

	for i, v := range sources {
		c.source(at.Index(i), self{v})
	}

	for i, v := range in.at("kubernetesMetadata").GetListValue().GetValues() {
		p, s := p.Child("kubernetesMetadata").Index(i).Child("source"), self{(self{v}).at("source")}

		for _, pl := range placesOf(p, s, metadataParts) {
			c.compile(pl)
		}

		c.selectors(p, s)
	}

	a.weight = perExpression*all + c.size
}

// A part is a field of a source that may have an expression, and what the value is to be.
type part struct {
	path   []string
	result expression.ValueType
}

var (
	// metadataParts are the labels and annotations of a source of kubernetesMetadata.
	metadataParts = []part{{[]string{"labels"}, expression.Labels}, {[]string{"annotations"}, expression.Labels}}

	includeParts = []part{{[]string{"include", "expression"}, expression.Patterns}}

	// selectorParts select the objects of a source.
	selectorParts = []part{
		{[]string{"resource", "name", "expression"}, expression.Text},
		{[]string{"resource", "matchLabels", "expression"}, expression.Labels},
		{[]string{"resource", "namespace", "expression"}, expression.Text},
	}
)

// placesOf returns the expressions that the source at p has in the parts.
func placesOf(p *field.Path, source self, parts []part) []place {
	return words.MapIf(parts, func(f part) (place, bool) {
		text := source.at(f.path...).GetStringValue()
		return place{p.Child(f.path[0], f.path[1:]...), text, f.result}, text != ""
	})
}

// stops reports whether no more expressions are to be checked.
func (c *expressionCheck) stops() bool { return c.size > maxExpressionsSize || c.admission.stops() }

// source checks the expressions of the source at p.
func (c *expressionCheck) source(p *field.Path, source self) {
	required := source.at("policy", "fromFieldPath").GetStringValue() == string(FromFieldPathPolicyRequired)

	labels := texts(source.at("expressions"))

	for _, key := range slices.Sorted(maps.Keys(labels)) {
		pl := place{p.Child("expressions").Key(key), labels[key], expression.Label}

		e := c.compile(pl)
		if required && e.Mentions(expression.Observed) {
			c.refuse(pl.path, "must not mention observed, since its policy is Required: before a resource exists nothing is observed, so that it would never be made")
		}
	}

	if c.stops() {
		return
	}

	c.includePlace(p.Child("include"), source)

	for _, pl := range placesOf(p, source, includeParts) {
		c.once(pl, source)
	}

	level := c.selectors(p, source)
	if name := source.text("name"); source.text("type") == string(SourceTypeRequiredResource) {
		f := c.finds[name]
		c.finds[name] = find{f.sources, f.before + 1, level, source.at("trusted").GetBoolValue()}
	}
}

// includePlace refuses the field at p in which include of the source finds patterns, unless it is of one source of type RequiredResource
// before this one, or of the composite resource or the context. Objects of that source lead to no others, so they count for no level.
func (c *expressionCheck) includePlace(p *field.Path, source self) {
	name, trusted := source.at("include", "source").GetStringValue(), source.at("trusted").GetBoolValue()

	if name == "" {
		if trusted && source.has("include", "fromFieldPath") {
			c.refuse(p.Child("fromFieldPath"), "a trusted source can't read this from the composite resource or the context, which others write: write keys, or name a trusted source in include.source")
		}

		return
	}

	p = p.Child("source")

	switch f := c.finds[name]; {
	case f.sources == 0:
		c.note(field.Invalid(p, name, "no source of type RequiredResource has this name"))
	case f.sources > 1:
		c.note(field.Invalid(p, name, "several sources of type RequiredResource have this name"))
	case f.before == 0:
		c.note(field.Invalid(p, name, "that source doesn't come before this one: move it up"))
	case trusted && !f.trusted:
		c.note(field.Invalid(p, name, "this source is trusted and that one isn't: set trusted there, too, or not here"))
	}
}

// selectors checks the expressions by which the source at p selects objects. It returns the level of these.
func (c *expressionCheck) selectors(p *field.Path, source self) (level int) {
	level = 1
	if c.origins != nil {
		level++ // The object that holds the standard comes first.
	}

	for _, pl := range placesOf(p, source, selectorParts) {
		for _, name := range c.once(pl, source).SourceNames() {
			level = max(level, c.finds[name].level+1)
		}
	}

	if level == MaxHops+1 && !c.stops() {
		c.refuse(p.Child("resource"), fmt.Sprintf("needs %d objects that lead from one to the next, and Crossplane fetches only %d times: an object's own labels or the composite resource should name what is further away", level, MaxHops))
	}

	return level
}

// once compiles an expression that is evaluated once for all composed resources: it selects the objects of the source, or gives the
// patterns of its include. once refuses what the expression may not read.
func (c *expressionCheck) once(pl place, source self) expression.Expression {
	p, trusted, e := pl.path, source.at("trusted").GetBoolValue(), c.compile(pl)

	for _, v := range e.PerResource() {
		c.refuse(p, fmt.Sprintf("must not mention %s: the expression has one value for all composed resources", v))
	}

	if e.ReadsAnyObject() {
		c.refuse(p, "must name the sources that it reads, as required.name or required['name'], so that it is known what to fetch first")
	}

	for _, name := range e.SourceNames() {
		switch f := c.finds[name]; {
		case f.sources != 1: // compile has refused it.
		case f.before == 0:
			c.refuse(p, fmt.Sprintf("mentions required[%q], but that source doesn't come before this one: move it up", name))
		case trusted && !f.trusted:
			c.refuse(p, fmt.Sprintf("must not mention required[%q], since the source is trusted and that one isn't: set trusted there, too, or not here", name))
		}
	}

	if trusted && e.Mentions(expression.Context) {
		c.refuse(p, "must not mention context, since the source is trusted: any step may write it")
	}

	if trusted && !e.OnlyNamespace() {
		c.refuse(p, "must mention nothing of xr but xr.metadata.namespace, since the source is trusted: the author of the composite resource writes the rest")
	}

	return e
}

// compile the expression, and refuse it if it reads what can't exist. It returns the zero Expression if there is a mistake,
// or if no more are to be compiled.
func (c *expressionCheck) compile(pl place) expression.Expression {
	if pl.text == "" || c.stops() {
		return expression.Expression{}
	}

	e, err := expression.Compile(pl.text, pl.result)
	if err != nil {
		c.refuse(pl.path, err.Error())

		return expression.Expression{}
	}

	if c.compiled[pl.result] == nil {
		c.compiled[pl.result] = make(map[string]expression.Expression)
	}

	c.compiled[pl.result][pl.text] = e

	for _, key := range e.ContextKeys() {
		c.reads(pl.path, key)
	}

	for _, name := range e.SourceNames() {
		switch f := c.finds[name]; {
		case f.sources == 0:
			c.refuse(pl.path, fmt.Sprintf("mentions required[%q], but no source of type RequiredResource has this name", name))
		case f.sources > 1:
			c.refuse(pl.path, fmt.Sprintf("mentions required[%q], but several sources of type RequiredResource have this name", name))
		}
	}

	if c.size += e.Size(); c.size > maxExpressionsSize {
		c.refuse(field.NewPath("sources"), fmt.Sprintf("the expressions are too large together: they may have at most %d parts", maxExpressionsSize))

		return expression.Expression{}
	}

	return e
}
