package v1beta1

import (
	"fmt"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// legalPrefixes: whoever writes a format of keys wants some that the provider admits.
func legalPrefixes(a *admission, p *field.Path, in self) {
	rules := profile.Rules(in.text("profileRules"))

	for i, v := range in.at("keyFormats").GetListValue().GetValues() {
		format := self{v}
		if !format.has("prefix") {
			continue
		}

		prefix, provider := format.text("prefix"), format.text("provider")
		f := profile.NewFormat(&prefix, texts(format.at("replace")), format.at("lowercase").GetBoolValue())

		if limit := rules.PrefixLimit(provider, f); limit != "" {
			a.note(field.Invalid(p.Child("keyFormats").Index(i).Child("prefix"), prefix, fmt.Sprintf("no key that starts with it can be legal on %s: %s", provider, limit)))
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
