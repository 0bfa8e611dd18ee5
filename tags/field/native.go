package field

// natives are the families of kinds that are not Crossplane's own: of controllers that people compose
// resources of as they are.
var natives = []*family{
	&ack, &aso, &kcc,
	&capa, &capdo, &capg, &capl, &capo, &capoci, &caposc, &capp, &caps, &capz,
	&awsLBC, &hive, &hypershift, &karpenterAWS, &karpenterAzure, &karpenterGCP, &orc, &osok,
}
