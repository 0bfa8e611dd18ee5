package v1beta1

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// legalFormats: whoever writes a format wants keys, or values, that the provider admits.
func legalFormats(a *admission, p *field.Path, in self) {
	rules := profile.Rules(in.text("profileRules"))

	for i, v := range in.at("keyFormats").GetListValue().GetValues() {
		format, at := self{v}, p.Child("keyFormats").Index(i)
		legalPrefix(a, at, format, rules)
		legalReplacements(a, at, format, "key", rules.KeyLimit)
	}

	for i, v := range in.at("valueFormats").GetListValue().GetValues() {
		legalReplacements(a, p.Child("valueFormats").Index(i), self{v}, "value", rules.ValueLimit)
	}
}

// legalPrefix refuses the prefix of a format of keys if no key that has it can be legal.
func legalPrefix(a *admission, p *field.Path, format self, rules profile.Rules) {
	if !format.has("prefix") {
		return
	}

	prefix, provider := format.text("prefix"), format.text("provider")
	f := profile.NewFormat(&prefix, texts(format.at("replace")), format.at("lowercase").GetBoolValue())

	if limit := rules.PrefixLimit(provider, f); limit != "" {
		a.note(field.Invalid(p.Child("prefix"), prefix, fmt.Sprintf("no key that starts with it can be legal on %s: %s", provider, limit)))
	}
}

// legalReplacements refuses what a format of things puts in the place of other text if none of the
// things that have it can be legal.
func legalReplacements(a *admission, p *field.Path, format self, thing string, limitOf func(provider, text string) string) {
	replace, provider := texts(format.at("replace")), format.text("provider")

	for _, old := range slices.Sorted(maps.Keys(replace)) {
		text := replace[old]
		if format.at("lowercase").GetBoolValue() {
			text = strings.ToLower(text)
		}

		if limit := limitOf(provider, text); limit != "" {
			a.note(field.Invalid(p.Child("replace").Key(old), replace[old], fmt.Sprintf("no %s that has it can be legal on %s: %s", thing, provider, limit)))
		}
	}
}

// texts in the map v.
func texts(v *structpb.Value) map[string]string {
	out := make(map[string]string)
	for key, of := range v.GetStructValue().GetFields() {
		out[key] = of.GetStringValue()
	}

	return out
}
