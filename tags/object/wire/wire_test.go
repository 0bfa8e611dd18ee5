package wire_test

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/object/wire"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// field returns a length-delimited field with the tag, whose body is made of the parts.
func field(tag byte, parts ...[]byte) []byte {
	return protowire.AppendBytes([]byte{tag}, slices.Concat(parts...))
}

// entry of a map.
func entry(key string, value ...[]byte) []byte {
	return slices.Concat(field(wire.Key, []byte(key)), field(wire.Value, value...))
}

// object returns the bytes of a Resource whose object has only the value.
func object(value ...[]byte) []byte {
	return field(wire.Object, field(wire.Item, entry("a", value...)))
}

// ofEachType are fields of a newer version of a message, of each type that there is.
func ofEachType() []byte {
	return slices.Concat([]byte{4 << 3, 1, 5<<3 | 1, 1, 2, 3, 4, 5, 6, 7, 8}, field(6<<3|2, []byte("x")), []byte{7<<3 | 3, 1 << 3, 1, 7<<3 | 4, 8<<3 | 5, 1, 2, 3, 4})
}

// entries of a map of so many keys. The first key is 0, and last is the last.
func entries(tag byte, n int, last string) []byte {
	var out []byte

	for i := range n - 1 {
		out = append(out, field(tag, entry(strconv.Itoa(i)))...)
	}

	return append(out, field(tag, entry(last))...)
}

// nested returns a value in so many objects or lists.
func nested(tag byte, depth int) []byte {
	var v []byte

	for range depth {
		if tag == wire.Struct {
			v = entry("a", v)
		}

		v = field(tag, field(wire.Item, v))
	}

	return v
}

// sample returns the bytes of a Resource that has something of everything.
func sample(tb testing.TB) []byte {
	tb.Helper()

	b, err := proto.Marshal(&fnv1.Resource{
		Resource:          tagstest.MustStructJSON(`{"é": [null, true, 1.5, "s", {}, []], "b": {"c": {"d": "e"}}, "": false}`),
		ConnectionDetails: map[string][]byte{"k": {0xff}, "": nil},
		Ready:             fnv1.Ready_READY_TRUE,
	})
	if err != nil {
		tb.Fatal(err)
	}

	return b
}

// check what the Checker says of b: what is in plain form can be decoded, and nothing is lost by
// that.
func check(t *testing.T, b []byte) bool {
	t.Helper()

	c := wire.Checker{}
	before := slices.Clone(b)
	plain := c.Resource(b, 0)

	if !bytes.Equal(before, b) {
		t.Fatalf("Resource(%x): the bytes became %x", before, b)
	}

	if again := c.Resource(b, 0); again != plain {
		t.Fatalf("Resource(%x): want the same from a Checker that is used again, got first %v, then %v", b, plain, again)
	}

	if !plain {
		return false
	}

	r := &fnv1.Resource{}
	if err := proto.Unmarshal(b, r); err != nil {
		t.Fatalf("Resource(%x): in plain form, but it can't be decoded: %v", b, err)
	}

	// Known fields come before unknown ones.
	if unknown := r.ProtoReflect().GetUnknown(); !bytes.HasSuffix(b, unknown) {
		t.Fatalf("Resource(%x): in plain form, but its unknown fields are not its end: %x", b, unknown)
	}

	// Libraries may order the entries of maps otherwise, but all that is in plain form takes
	// the same space. They leave out that a resource isn't said to be ready or not.
	want := len(b)
	got := proto.Size(r)

	if r.GetReady() == fnv1.Ready_READY_UNSPECIFIED && bytes.Contains(b, []byte{wire.Ready, 0}) && got == want-2 {
		want = got
	}

	if got != want {
		t.Fatalf("Resource(%x): in plain form, but it is encoded in %d bytes again, not in %d", b, got, want)
	}

	return true
}

func TestResource(t *testing.T) {
	text := func(s string) []byte { return field(wire.String, []byte(s)) }

	cases := map[string]struct {
		reason string
		b      []byte
		want   bool
	}{
		"Sample":       {reason: "What a library writes should be in plain form.", b: sample(t), want: true},
		"Nothing":      {reason: "A resource may have nothing.", want: true},
		"EmptyObject":  {reason: "An object may have no fields.", b: field(wire.Object), want: true},
		"EmptyValue":   {reason: "A value may be none: it is not null then, and no library minds.", b: object(), want: true},
		"EmptyKey":     {reason: "A key may be empty.", b: field(wire.Object, field(wire.Item, entry("", text("x")))), want: true},
		"LongText":     {reason: "A length may take two bytes, if it has to.", b: object(text(strings.Repeat("x", 300))), want: true},
		"DetailsFirst": {reason: "Fields may be in any order.", b: slices.Concat(field(wire.Details, entry("k", []byte{0xff})), []byte{wire.Ready, 1}, object()), want: true},
		"SameKeys":     {reason: "Connection details and objects in an object may have the keys that others have.", b: slices.Concat(field(wire.Details, entry("a")), object(field(wire.Struct, field(wire.Item, entry("a"))))), want: true},

		// Fields there once at most.
		"ObjectTwice":  {reason: "Objects that are in two parts are merged, so what one of them says doesn't hold.", b: slices.Concat(object(), object())},
		"ReadyTwice":   {reason: "Of two values the last holds.", b: []byte{wire.Ready, 1, wire.Ready, 2}},
		"OneofTwice":   {reason: "Of two kinds of a value the last holds.", b: object(text("x"), text("y"))},
		"OneofTwoWays": {reason: "Of two kinds of a value the last holds.", b: object([]byte{wire.Bool, 1}, text("y"))},
		"NullTwice":    {reason: "Of two kinds of a value the last holds.", b: object([]byte{wire.Null, 0, wire.Null, 0})},
		"NumberTwice":  {reason: "Of two kinds of a value the last holds.", b: object(bytes.Repeat([]byte{wire.Number, 0, 0, 0, 0, 0, 0, 0, 0}, 2))},
		"KeyOfEntryTwice": {
			reason: "Of two keys of an entry the last holds.",
			b:      field(wire.Object, field(wire.Item, field(wire.Key, []byte("a")), field(wire.Key, []byte("b")), field(wire.Value))),
		},
		"ValueOfEntryTwice": {
			reason: "Values that are in two parts are merged.",
			b:      field(wire.Object, field(wire.Item, entry("a"), field(wire.Value))),
		},

		// Maps.
		"Keys8":             {reason: "Few keys that differ are in plain form.", b: field(wire.Object, entries(wire.Item, 8, "x")), want: true},
		"Keys8Twice":        {reason: "Of two entries with a key the last holds.", b: field(wire.Object, entries(wire.Item, 8, "0"))},
		"Keys9":             {reason: "Many keys that differ are in plain form.", b: field(wire.Object, entries(wire.Item, 9, "x")), want: true},
		"Keys9Twice":        {reason: "Of two entries with a key the last holds, however many there are.", b: field(wire.Object, entries(wire.Item, 9, "0"))},
		"Keys9AtEnd":        {reason: "The last two may be those with the same key.", b: field(wire.Object, entries(wire.Item, 9, "7"))},
		"Keys24":            {reason: "Keys that differ are in plain form, however they are compared.", b: field(wire.Object, entries(wire.Item, 24, "x")), want: true},
		"Keys24Twice":       {reason: "Of two entries with a key the last holds.", b: field(wire.Object, entries(wire.Item, 24, "0"))},
		"Keys24AtEnd":       {reason: "The last two may be those with the same key.", b: field(wire.Object, entries(wire.Item, 24, "22"))},
		"Keys25":            {reason: "Keys that differ are in plain form, however they are compared.", b: field(wire.Object, entries(wire.Item, 25, "x")), want: true},
		"Keys25Twice":       {reason: "Of two entries with a key the last holds.", b: field(wire.Object, entries(wire.Item, 25, "0"))},
		"AlikeKeys":         {reason: "Keys of the same length, begin and end may differ.", b: slices.Concat(field(wire.Details, entry("abc")), field(wire.Details, entry("adc")), field(wire.Details, entry("aec"))), want: true},
		"AlikeKeysTwice":    {reason: "So may only some of them.", b: slices.Concat(field(wire.Details, entry("abc")), field(wire.Details, entry("adc")), field(wire.Details, entry("adc")))},
		"EmptyKeys":         {reason: "Of two entries with an empty key the last holds.", b: slices.Concat(field(wire.Details, entry("")), field(wire.Details, entry("a")), field(wire.Details, entry("")))},
		"Keys1000":          {reason: "Many keys that differ are in plain form.", b: field(wire.Object, entries(wire.Item, 1000, "x")), want: true},
		"Keys1000Twice":     {reason: "Of two entries with a key the last holds, however many there are.", b: field(wire.Object, entries(wire.Item, 1000, "500"))},
		"NestedTwice":       {reason: "An object in an object has no key twice, either.", b: object(field(wire.Struct, entries(wire.Item, 2, "0")))},
		"NestedInList":      {reason: "An object in a list has no key twice, either.", b: object(field(wire.List, field(wire.Item, field(wire.Struct, entries(wire.Item, 2, "0")))))},
		"DetailsTwice":      {reason: "Of two connection details with a key the last holds.", b: entries(wire.Details, 3, "0")},
		"DetailsTwiceApart": {reason: "Connection details may have their object between them.", b: slices.Concat(field(wire.Details, entry("k")), object(), field(wire.Details, entry("k")))},
		"ManyDetailsTwice":  {reason: "Of two connection details with a key the last holds, however many there are.", b: entries(wire.Details, 20, "7")},
		"ValueBeforeKey":    {reason: "What reads an entry takes its key for first.", b: field(wire.Object, field(wire.Item, field(wire.Value), field(wire.Key, []byte("a"))))},
		"NoKey":             {reason: "What reads an entry takes its key for there.", b: field(wire.Object, field(wire.Item, field(wire.Value)))},
		"NoValue":           {reason: "What reads an entry takes its value for there.", b: field(wire.Object, field(wire.Item, field(wire.Key, []byte("a"))))},
		"EmptyEntry":        {reason: "What reads an entry takes its key for there.", b: field(wire.Object, field(wire.Item))},
		"DetailsNoValue":    {reason: "So it is for connection details.", b: field(wire.Details, field(wire.Key, []byte("a")))},

		// Varints.
		"LongLength":      {reason: "A length may not take more bytes than it has to.", b: []byte{wire.Object, 0x80, 0}},
		"LongLengthInner": {reason: "A length may not take more bytes than it has to, anywhere.", b: object([]byte{wire.String, 0x81, 0, 'x'})},
		"LongestLength":   {reason: "A length may not be beyond what there is.", b: slices.Concat([]byte{wire.Object}, bytes.Repeat([]byte{0xff}, 9), []byte{1})},
		"EndlessLength":   {reason: "A length has to end.", b: slices.Concat([]byte{wire.Object}, bytes.Repeat([]byte{0xff}, 11))},
		"LongTag":         {reason: "A tag may not take more bytes than it has to.", b: []byte{wire.Object | 0x80, 0, 0}},
		"LongTagOfReady":  {reason: "A tag may not take more bytes than it has to.", b: []byte{wire.Ready | 0x80, 0, 1}},
		"LongReady":       {reason: "No library writes a number so long.", b: []byte{wire.Ready, 0x81, 0}},
		"GreatReady":      {reason: "No library writes what isn't known.", b: []byte{wire.Ready, 0x80, 1}},
		"LongNull":        {reason: "No library writes a number so long.", b: object([]byte{wire.Null, 0x80, 0})},
		"LongBool":        {reason: "No library writes a number so long.", b: object([]byte{wire.Bool, 0x81, 0})},
		"Null1":           {reason: "A null that isn't 0 is another value.", b: object([]byte{wire.Null, 1})},
		"Bool2":           {reason: "True is 1.", b: object([]byte{wire.Bool, 2})},
		"ShortNumber":     {reason: "A number has eight bytes.", b: object([]byte{wire.Number, 1, 2, 3, 4, 5, 6, 7})},
		"LongNumber":      {reason: "A number has eight bytes.", b: object([]byte{wire.Number, 1, 2, 3, 4, 5, 6, 7, 8, 9})},

		"LongLengthOfItem": {reason: "A length may not take more bytes than it has to, of an item neither.", b: object([]byte{wire.List, 3, wire.Item, 0x80, 0})},
		"LongLengthOfEntry": {
			reason: "A length may not take more bytes than it has to, of an entry neither.",
			b:      object(field(wire.Struct, []byte{wire.Item, 0x85, 0}, entry("a"))),
		},

		// An inner message ends with the outer one, even if the bytes after that would do.
		"ItemGoesOn": {
			reason: "An item ends in its list.",
			b:      object(field(wire.List, field(wire.Item, field(wire.List, []byte{wire.Item, 4, wire.String, 2})), field(wire.Item))),
		},
		"EntryGoesOn": {
			reason: "An entry ends in its object.",
			b:      object(field(wire.List, field(wire.Item, field(wire.Struct, []byte{wire.Item, 9, wire.Key, 1, 'a', wire.Value, 4, wire.String, 2})), field(wire.Item))),
		},
		"TextGoesOn": {
			reason: "A text ends in its value.",
			b:      object(field(wire.List, field(wire.Item, []byte{wire.String, 2}), field(wire.Item))),
		},

		// Unknown fields, and known ones of another type.
		"Unknown":            {reason: "A newer version of a resource may have fields behind those that are known.", b: slices.Concat(object(), field(4<<3|2)), want: true},
		"UnknownOnly":        {reason: "A newer version of a resource may have nothing else.", b: []byte{7 << 3, 1}, want: true},
		"UnknownOfEachType":  {reason: "A newer version of a resource may have fields of any type, more than once.", b: slices.Concat(object(), ofEachType(), ofEachType()), want: true},
		"UnknownLongTag":     {reason: "A newer version of a resource may have fields whose number takes bytes.", b: slices.Concat(object(), protowire.AppendTag(nil, protowire.MaxValidNumber, protowire.VarintType), []byte{1}), want: true},
		"UnknownFirst":       {reason: "What reads a resource ends where it knows nothing.", b: slices.Concat(field(4<<3|2), object())},
		"UnknownBetween":     {reason: "What reads a resource ends where it knows nothing.", b: slices.Concat(object(), field(4<<3|2), []byte{wire.Ready, 1})},
		"UnknownCutOff":      {reason: "What is cut off is no field.", b: slices.Concat(object(), []byte{4<<3 | 2, 1})},
		"UnknownOpenGroup":   {reason: "A group has to end.", b: slices.Concat(object(), []byte{4<<3 | 3})},
		"UnknownEndOfGroup":  {reason: "A group has to begin.", b: slices.Concat(object(), []byte{4<<3 | 4})},
		"UnknownTagTooLong":  {reason: "A tag may not take more bytes than it has to: libraries shorten it.", b: slices.Concat(object(), []byte{4<<3 | 0x80, 0, 1})},
		"UnknownNumber":      {reason: "Greater numbers no library decodes.", b: slices.Concat(object(), protowire.AppendVarint(nil, uint64(protowire.MaxValidNumber+1)<<3), []byte{1})},
		"UnknownInObject":    {reason: "An object has no other fields than those of its map.", b: field(wire.Object, field(2<<3|2))},
		"UnknownInEntry":     {reason: "An entry has nothing but key and value.", b: field(wire.Object, field(wire.Item, entry("a"), field(3<<3|2)))},
		"UnknownInValue":     {reason: "A value has no seventh kind.", b: object(field(7<<3 | 2))},
		"UnknownBehindValue": {reason: "A value has nothing but its kind.", b: object(text("x"), field(7<<3|2))},
		"UnknownInList":      {reason: "A list has nothing but items.", b: object(field(wire.List, field(2<<3|2)))},
		"ObjectVarint":       {reason: "A known field of another type is an unknown one.", b: []byte{1 << 3, 1}},
		"ReadyBytes":         {reason: "A known field of another type is an unknown one.", b: field(3<<3 | 2)},
		"StringVarint":       {reason: "A known field of another type is an unknown one.", b: object([]byte{3 << 3, 1})},
		"NumberFixed32":      {reason: "A known field of another type is an unknown one.", b: object([]byte{2<<3 | 5, 1, 2, 3, 4})},
		"Group":              {reason: "Nothing is in groups.", b: []byte{1<<3 | 3, 1<<3 | 4}},
		"FieldZero":          {reason: "No field has this number.", b: []byte{0, 0}},

		// Text.
		"KeyNotUTF8":   {reason: "Text has to be UTF-8.", b: field(wire.Object, field(wire.Item, entry("\xff")))},
		"ValueNotUTF8": {reason: "Text has to be UTF-8.", b: object(text("\xff"))},
		"HalfARune":    {reason: "Text has to be UTF-8 to its end.", b: object(text("\xc3"))},
		"Surrogate":    {reason: "A surrogate is no UTF-8.", b: object(text("\xed\xa0\x80"))},
		"NotUTF8Late":  {reason: "Text has to be UTF-8, whatever is before.", b: object(text("0123456789\xff"))},
		"NotUTF8Long":  {reason: "Text has to be UTF-8, however long it is.", b: object(text(strings.Repeat("x", 300) + "\xff"))},
		"NotUTF8Behind": {
			reason: "Text has to be UTF-8 behind what is ASCII.",
			b:      field(wire.Object, field(wire.Item, entry("a", text("x"))), field(wire.Item, entry("b", text("\xff")))),
		},
		"NotUTF8Inside": {
			reason: "Text has to be UTF-8 behind what is ASCII, and inside of what isn't.",
			b:      object(field(wire.Struct, field(wire.Item, entry("a", text("x"))), field(wire.Item, entry("b", text("\xff"))))),
		},
		"NotUTF8Beside": {
			reason: "Text has to be UTF-8 beside a number, of which any byte may be one of a text.",
			b:      object(field(wire.List, field(wire.Item, []byte{wire.Number, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}), field(wire.Item, text("\xff")))),
		},
		"NotUTF8InDetails": {
			reason: "Text has to be UTF-8 behind an object that is ASCII.",
			b:      slices.Concat(object(text("x")), field(wire.Details, entry("\xff"))),
		},
		"DetailsNotUTF8": {reason: "Text has to be UTF-8.", b: field(wire.Details, entry("\xff"))},

		// Depth.
		"Structs3332": {reason: "Objects may be nested as deep as protobuf decodes: each takes three of its 10,000 messages.", b: object(nested(wire.Struct, 3332)), want: true},
		"Structs3333": {reason: "Objects may not be nested deeper.", b: object(nested(wire.Struct, 3333))},
		"Lists4998":   {reason: "Lists may be nested as deep as protobuf decodes: each takes two messages.", b: object(nested(wire.List, 4998)), want: true},
		"Lists4999":   {reason: "Lists may not be nested deeper.", b: object(nested(wire.List, 4999))},
		"Wide":        {reason: "What is beside another value is no deeper.", b: object(field(wire.List, bytes.Repeat(field(wire.Item, field(wire.List)), 2000))), want: true},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := check(t, tc.b); got != tc.want {
				t.Errorf("\n%s\nResource(...): want %v, got %v", tc.reason, tc.want, got)
			}
		})
	}
}

// TestResourceText proves that text is UTF-8 wherever it is, and however long what it is in is.
func TestResourceText(t *testing.T) {
	for n := range 300 {
		for at := 0; at <= n; at += 1 + n/20 {
			for bad, want := range map[string]bool{"\xff": false, "\x80": false, "é": true, "\x7f": true} {
				s := strings.Repeat("x", at) + bad + strings.Repeat("y", n-at)

				for _, b := range [][]byte{
					object(field(wire.String, []byte(s))),
					field(wire.Object, field(wire.Item, entry(s))),
					object(field(wire.Struct, field(wire.Item, entry("a")), field(wire.Item, entry(s)))),
					object(field(wire.List, field(wire.Item, field(wire.String, []byte(s))))),
				} {
					if got := (&wire.Checker{}).Resource(b, 0); got != want {
						t.Fatalf("Resource(%q): want %v, got %v", b, want, got)
					}
				}
			}
		}
	}
}

// TestResourceBroken is about bytes that end too early, and such of which one is another.
func TestResourceBroken(t *testing.T) {
	b := sample(t)

	for n := range b {
		err := proto.Unmarshal(b[:n], &fnv1.Resource{})
		if got, want := check(t, b[:n:n]), err == nil; got != want {
			t.Errorf("\nWhat ends between fields is in plain form, and nothing else is.\nResource(%x): want %v, got %v: %v", b[:n], want, got, err)
		}
	}

	for i := range b {
		broken := slices.Clone(b)

		for range 255 {
			broken[i]++
			check(t, broken)
		}
	}
}

// TestCheckerAfterwards proves that a Checker can be used after bytes in another form.
func TestCheckerAfterwards(t *testing.T) {
	c := wire.Checker{}

	for _, b := range [][]byte{object(nested(wire.Struct, 3333)), entries(wire.Details, 20, "7"), slices.Concat(entries(wire.Details, 3, "x"), []byte{0}), sample(t)[:20]} {
		if c.Resource(b, 0) {
			t.Errorf("Resource(%.100x): want false", b)
		}

		for _, b := range [][]byte{sample(t), object(nested(wire.List, 4998)), entries(wire.Details, 20, "x"), entries(wire.Details, 3, "x")} {
			if !c.Resource(b, 0) {
				t.Errorf("\nWhat was checked before should not matter.\nResource(%.100x): want true", b)
			}
		}
	}
}

// isUsual reports whether libraries write the value in plain form.
func isUsual(v *structpb.Value) bool {
	for _, field := range v.GetStructValue().GetFields() {
		if !isUsual(field) {
			return false
		}
	}

	for _, item := range v.GetListValue().GetValues() {
		if !isUsual(item) {
			return false
		}
	}

	return v.GetNullValue() == structpb.NullValue_NULL_VALUE
}

// FuzzResource checks any bytes, and what a library makes of them.
func FuzzResource(f *testing.F) {
	f.Add(sample(f))
	f.Add(slices.Concat(object(), object()))
	f.Add(entries(wire.Details, 20, "7"))
	f.Add(field(wire.Object, entries(wire.Item, 20, "x")))
	f.Add(object(nested(wire.Struct, 30)))
	f.Add([]byte{wire.Ready, 0, wire.Object, 0x80, 0})

	f.Fuzz(func(t *testing.T, b []byte) {
		check(t, b)

		r := &fnv1.Resource{}
		if (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(b, r) != nil {
			return
		}

		again, err := proto.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}

		if want := isUsual(structpb.NewStructValue(r.GetResource())) && r.GetReady() >= 0 && r.GetReady() < 0x80; check(t, again) != want {
			t.Errorf("\nWhat a library writes should be in plain form.\nResource(%x): want %v", again, want)
		}
	})
}
