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

// legalFormats refuses formats that make no key, or no value, that the provider admits.
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

// legalPrefix refuses the prefix of a key format if no key with this prefix can be legal.
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

// legalReplacements refuses a replacement text of a format if no key, or no value, with this text can
// be legal. thing is what messages call one of these.
func legalReplacements(a *admission, p *field.Path, format self, thing string, limitOf func(provider, text string) string) {
	replace, provider := texts(format.at("replace")), format.text("provider")

	for _, old := range slices.Sorted(maps.Keys(replace)) {
		text := replace[old]
		if format.at("lowercase").GetBoolValue() {
			text = strings.ToLower(text)
		}

		if limit := limitOf(provider, text); limit != "" {
			a.note(field.Invalid(p.Child("replace").Key(old), replace[old], fmt.Sprintf("no %s with this text can be legal on %s: %s", thing, provider, limit)))
		}
	}
}

// texts returns the strings in the map v.
func texts(v *structpb.Value) map[string]string {
	out := make(map[string]string)
	for key, text := range v.GetStructValue().GetFields() {
		out[key] = text.GetStringValue()
	}

	return out
}
