package profile

// InMetadata returns the profile p for the tags of EC2 instances with instanceMetadataTags: enabled. EC2 refuses
// other keys at launch and later. The key plexsphere:platform/env becomes plexsphere:platform.env.
func (p *Profile) InMetadata() *Profile {
	return narrow(*p, "", func(p *Profile) {
		p.Source = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/work-with-tags-in-IMDS.html"
		p.KeyClass, p.Format = inMetadata, metadataFormat
	}).profile
}

var (
	inMetadata = charsOf("", `[0-9A-Za-z+\-=.,_:@]`).
			without("in instance metadata ASCII letters and digits and + - = . , _ : @ but not . or .. or _index", `^(\.\.?|_index)$`)

	metadataFormat = NewFormat(nil, map[string]string{"/": ".", " ": "_"}, false)
)
