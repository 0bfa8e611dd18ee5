package v1beta1

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

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

// maxReplaced is the limit of what a format replaces, in characters. The schema has the same limit for what takes its place, but
// can't limit keys of a map.
const maxReplaced = 64

// legalReplacements refuses a replacement text of a format if no key, or no value, with this text can
// be legal. thing is what messages call one of these. It also refuses to replace long strings.
func legalReplacements(a *admission, p *field.Path, format self, thing string, limitOf func(provider, text string) string) {
	replace, provider := texts(format.at("replace")), format.text("provider")

	for _, old := range slices.Sorted(maps.Keys(replace)) {
		if n := utf8.RuneCountInString(old); n > maxReplaced {
			a.note(field.Invalid(p.Child("replace").Key(old), old, fmt.Sprintf("must have at most %d characters", maxReplaced)))
		}

		text := replace[old]
		if format.at("lowercase").GetBoolValue() {
			text = strings.ToLower(text)
		}

		if limit := limitOf(provider, text); limit != "" {
			a.note(field.Invalid(p.Child("replace").Key(old), replace[old], fmt.Sprintf("no %s with this text can be legal on %s: %s", thing, provider, limit)))
		}
	}
}

// replacements returns the replacements as strings.
func replacements(replace map[string]Replacement) map[string]string {
	out := make(map[string]string, len(replace))
	for old, text := range replace {
		out[old] = string(text)
	}

	return out
}

// texts returns the strings in the map v.
func texts(v *structpb.Value) map[string]string {
	out := make(map[string]string)
	for key, text := range v.GetStructValue().GetFields() {
		out[key] = text.GetStringValue()
	}

	return out
}
