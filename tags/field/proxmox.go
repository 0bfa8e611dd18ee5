package field

// proxmox is valkiriaaquatica/provider-proxmox-bpg, whose first releases had API groups directly
// under crossplane.io, and joekky/provider-proxmox, which has no tags. Proxmox VE puts tags in order, and a list in another one is a difference
// that never ends, says the documentation of the provider. A tag is one word without = and :,
// so that key and value are apart by what a tag may have.
var proxmox = family{
	Family: Family{Name: "proxmox", Profile: "proxmox", Upjet: true},
	domains: []string{
		"proxmoxbpg.crossplane.io", "proxmoxbpg.m.crossplane.io",

		"virtual.crossplane.io", "virtualenvironment.crossplane.io", "virtualenvironmentacl.crossplane.io",
		"virtualenvironmentacmeaccount.crossplane.io", "virtualenvironmentacmednsplugin.crossplane.io",
		"virtualenvironmentaptrepository.crossplane.io", "virtualenvironmentaptstandardrepository.crossplane.io",
		"virtualenvironmentclusterfirewallsecuritygroup.crossplane.io",
		"virtualenvironmentcontainer.crossplane.io", "virtualenvironmentdns.crossplane.io",
		"virtualenvironmentdownloadfile.crossplane.io", "virtualenvironmentfile.crossplane.io",
		"virtualenvironmentfirewallalias.crossplane.io", "virtualenvironmentfirewallipset.crossplane.io",
		"virtualenvironmentfirewalloptions.crossplane.io", "virtualenvironmentfirewallrules.crossplane.io",
		"virtualenvironmentgroup.crossplane.io", "virtualenvironmenthagroup.crossplane.io",
		"virtualenvironmentharesource.crossplane.io", "virtualenvironmenthosts.crossplane.io",
		"virtualenvironmentmetricsserver.crossplane.io", "virtualenvironmentnetworklinuxbridge.crossplane.io",
		"virtualenvironmentnetworklinuxvlan.crossplane.io", "virtualenvironmentpool.crossplane.io",
		"virtualenvironmentrole.crossplane.io", "virtualenvironmenttime.crossplane.io",
		"virtualenvironmentuser.crossplane.io", "virtualenvironmentvm.crossplane.io",
	},
	configs: map[string]configs{
		"virtualenvironmentvm.crossplane.io":        {group: "proxmoxbpg.crossplane.io", version: "v1beta1"},
		"virtualenvironmentcontainer.crossplane.io": {group: "proxmoxbpg.crossplane.io", version: "v1beta1"},
	},
	handwritten: []string{"proxmox.crossplane.io"},
	fields:      []*candidate{at("tags", "tags").words("_").sorted()},
}
