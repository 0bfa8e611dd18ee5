package profile

// tencent has the limits of Tencent Cloud. Its API also keeps the keys qcloud, tencent and project to itself.
var tencent = cloud{contract: &Profile{
	Name:       "tencent",
	Source:     "https://www.tencentcloud.com/document/product/651/13354 https://www.tencentcloud.com/document/product/651/33015",
	Key:        Length{Runes: 127},
	Value:      Length{Runes: 255},
	KeyClass:   classOf("letters, digits, inner spaces and + - = . _ : / @ ( ) [ ] , ; < >", "^("+tencentText+")?$"),
	ValueClass: classOf("letters, digits, inner spaces and + - = . _ : / @ ( ) [ ] , ; < >, not empty", "^"+tencentText+"$"),
	MaxTags:    50,
	Reserved:   []string{"qcs:"},
	Taken:      []string{"project*", "qcloud", "tencent"},
}}.
	service("cos", func(p *Profile) {
		p.Source = "https://www.tencentcloud.com/document/product/436/31509"
		p.KeyClass = classOf("letters, digits, inner spaces and + - = . _ : / @", "^("+tencentCOS+")?$")
		p.ValueClass = classOf("letters, digits, inner spaces and + - = . _ : / @, not empty", "^"+tencentCOS+"$")
	}, "cos.tencentcloud.*/*")

// tencentText and tencentCOS match a key or a value that isn't empty.
var (
	tencentText = ended(`[\p{L}\p{Nd}+\-=._:/@()\[\],;<>]`, `[\p{L}\p{Nd} +\-=._:/@()\[\],;<>]`)
	tencentCOS  = ended(`[\p{L}\p{Nd}+\-=._:/@]`, `[\p{L}\p{Nd} +\-=._:/@]`)
)
