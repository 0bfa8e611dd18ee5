package field

import (
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// nsxt is ankasoftco/provider-nsxt, whose API groups are directly under crossplane.io. A tag
// of NSX-T is a scope and a tag, which are what others call a key and a value. Groups of NSX-T
// may select by them, and firewalls and load balancers by the groups: only ones that name the
// tag's scope and tag, or no scope and the tag alone.
//
// Not tags of the resource itself: tag of a rule, defaultRule, port, bgpConfig or vrfConfig (of
// a part, of which each has its own); logicalPortTag (of the port of a machine, whose tags are
// beside it).
//
// The group dns.crossplane.io is shared with Smana/provider-tailscale, and
// loadbalancer.crossplane.io with vra.
var nsxt = family{
	Family: Family{Name: "nsxt", Profile: profile.Generic, Upjet: true},
	domains: []string{
		"dhcp.crossplane.io", "dns.crossplane.io", "evpn.crossplane.io", "firewall.crossplane.io",
		"gatewaysandrouting.crossplane.io", "groupingandtagging.crossplane.io", "ipam.crossplane.io",
		"loadbalancer.crossplane.io", "multitenancy.crossplane.io", "nsxt.crossplane.io",
		"nsxtalgorithmtypensservice.crossplane.io", "nsxtclustervirtualip.crossplane.io",
		"nsxtcomputemanager.crossplane.io", "nsxtdhcprelayprofile.crossplane.io",
		"nsxtdhcprelayservice.crossplane.io", "nsxtdhcpserverippool.crossplane.io",
		"nsxtdhcpserverprofile.crossplane.io", "nsxtedgecluster.crossplane.io",
		"nsxtethertypensservice.crossplane.io", "nsxtfailuredomain.crossplane.io",
		"nsxtfirewallsection.crossplane.io", "nsxticmptypensservice.crossplane.io",
		"nsxtigmptypensservice.crossplane.io", "nsxtipblock.crossplane.io", "nsxtipblocksubnet.crossplane.io",
		"nsxtipdiscoveryswitchingprofile.crossplane.io", "nsxtippool.crossplane.io",
		"nsxtippoolallocationipaddress.crossplane.io", "nsxtipprotocolnsservice.crossplane.io",
		"nsxtipset.crossplane.io", "nsxtl4portsetnsservice.crossplane.io", "nsxtlbclientsslprofile.crossplane.io",
		"nsxtlbcookiepersistenceprofile.crossplane.io", "nsxtlbfasttcpapplicationprofile.crossplane.io",
		"nsxtlbfastudpapplicationprofile.crossplane.io", "nsxtlbhttpapplicationprofile.crossplane.io",
		"nsxtlbhttpforwardingrule.crossplane.io", "nsxtlbhttpmonitor.crossplane.io",
		"nsxtlbhttprequestrewriterule.crossplane.io", "nsxtlbhttpresponserewriterule.crossplane.io",
		"nsxtlbhttpsmonitor.crossplane.io", "nsxtlbhttpvirtualserver.crossplane.io",
		"nsxtlbicmpmonitor.crossplane.io", "nsxtlbpassivemonitor.crossplane.io", "nsxtlbpool.crossplane.io",
		"nsxtlbserversslprofile.crossplane.io", "nsxtlbservice.crossplane.io",
		"nsxtlbsourceippersistenceprofile.crossplane.io", "nsxtlbtcpmonitor.crossplane.io",
		"nsxtlbtcpvirtualserver.crossplane.io", "nsxtlbudpmonitor.crossplane.io",
		"nsxtlbudpvirtualserver.crossplane.io", "nsxtlogicaldhcpport.crossplane.io",
		"nsxtlogicaldhcpserver.crossplane.io", "nsxtlogicalport.crossplane.io",
		"nsxtlogicalroutercentralizedserviceport.crossplane.io", "nsxtlogicalrouterdownlinkport.crossplane.io",
		"nsxtlogicalrouterlinkportontier0.crossplane.io", "nsxtlogicalrouterlinkportontier1.crossplane.io",
		"nsxtlogicalswitch.crossplane.io", "nsxtlogicaltier0router.crossplane.io",
		"nsxtlogicaltier1router.crossplane.io", "nsxtmacmanagementswitchingprofile.crossplane.io",
		"nsxtmanagercluster.crossplane.io", "nsxtnatrule.crossplane.io", "nsxtnsgroup.crossplane.io",
		"nsxtnsservicegroup.crossplane.io", "nsxtpolicyhosttransportnodeprofile.crossplane.io",
		"nsxtpolicyipsecvpndpdprofile.crossplane.io", "nsxtpolicyipsecvpnikeprofile.crossplane.io",
		"nsxtpolicyipsecvpnlocalendpoint.crossplane.io", "nsxtpolicyipsecvpnservice.crossplane.io",
		"nsxtpolicyipsecvpnsession.crossplane.io", "nsxtpolicyl2vpnsession.crossplane.io",
		"nsxtpolicytransportzone.crossplane.io", "nsxtqosswitchingprofile.crossplane.io",
		"nsxtspoofguardswitchingprofile.crossplane.io", "nsxtstaticroute.crossplane.io",
		"nsxtswitchsecurityswitchingprofile.crossplane.io", "nsxttransportnode.crossplane.io",
		"nsxtuplinkhostswitchprofile.crossplane.io", "nsxtvlanlogicalswitch.crossplane.io",
		"nsxtvmtags.crossplane.io", "segments.crossplane.io",
	},
	only: map[string][]string{
		"dns.crossplane.io":          {"Policy*"},
		"loadbalancer.crossplane.io": {"PolicyLb*"},
	},
	configs: map[string]configs{
		"*": {group: "nsxt.crossplane.io", version: "v1beta1"},
	},
	fields: []*candidate{at("tag", "tag").as(KeyValueList)},
	immutable: map[string]refusal{
		"/IpBlockSubnet": refused("vmware/terraform-provider-nsxt nsxt/resource_nsxt_ip_block_subnet.go: getTagsSchemaForceNew, v3.3.2"),
	},
}
