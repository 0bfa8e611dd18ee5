package profile

// tencent is what Tencent Cloud admits, by
// https://www.tencentcloud.com/document/product/651/13354. Its API also keeps to itself the
// keys qcloud, tencent and project: https://www.tencentcloud.com/document/product/651/33015.
var tencent = cloud{
	contract: &tencentContract,
	always: []service{
		// https://www.tencentcloud.com/document/product/436/31509
		narrow(tencentContract, func(p *Profile) {
			p.KeyClass = classOf("letters, digits, inner spaces and + - = . _ : / @", "^("+tencentCOS+")?$")
			p.ValueClass = classOf("letters, digits, inner spaces and + - = . _ : / @, not empty", "^"+tencentCOS+"$")
		}, "cos.tencentcloud.*/*"),
	},
}

var tencentContract = Profile{
	Name:       "tencent",
	Key:        Length{Runes: 127},
	Value:      Length{Runes: 255},
	KeyClass:   classOf("letters, digits, inner spaces and + - = . _ : / @ ( ) [ ] , ; < >", "^("+tencentText+")?$"),
	ValueClass: classOf("letters, digits, inner spaces and + - = . _ : / @ ( ) [ ] , ; < >, not empty", "^"+tencentText+"$"),
	MaxTags:    50,
	Reserved:   []string{"qcs:"},
	Taken:      []string{"project*", "qcloud", "tencent"},
}

// What keys and values are.
var (
	tencentText = ended(`[\p{L}\p{Nd}+\-=._:/@()\[\],;<>]`, `[\p{L}\p{Nd} +\-=._:/@()\[\],;<>]`)
	tencentCOS  = ended(`[\p{L}\p{Nd}+\-=._:/@]`, `[\p{L}\p{Nd} +\-=._:/@]`)
)
