package profile

// InMetadata returns the profile p for the tags of EC2 instances with instanceMetadataTags: enabled, by
// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/work-with-tags-in-IMDS.html. EC2 refuses other keys at
// launch and later. The key plexsphere:platform/env becomes plexsphere:platform.env.
func (p *Profile) InMetadata() *Profile {
	return changed(*p, func(p *Profile) { p.KeyClass, p.Format, p.Narrow = inMetadata, metadataFormat, true })
}

var (
	inMetadata = charsOf("", `[0-9A-Za-z+\-=.,_:@]`).
			without("in instance metadata ASCII letters and digits and + - = . , _ : @ but not . or .. or _index", `^(\.\.?|_index)$`)

	metadataFormat = NewFormat(nil, map[string]string{"/": ".", " ": "_"}, false)
)
