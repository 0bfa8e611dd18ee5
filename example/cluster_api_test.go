package example

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	k8syaml "k8s.io/apimachinery/pkg/util/yaml"
)

// places are maps of labels and annotations, by where they are: the name of a composed
// resource, or the kind of any other object, and the path of the field.
type places map[string]map[string]string

// with the labels or annotations of the supplied map, and others.
func with(m map[string]string, others ...map[string]string) map[string]string {
	out := maps.Clone(m)
	for _, o := range others {
		maps.Copy(out, o)
	}

	return out
}

// TestClusterAPI tests that the scenario cluster-api does what each row of Cluster API's
// metadata propagation says, which is
// docs/book/src/developer/architecture/controllers/metadata-propagation.md. TestScenarios
// tests that what the scenario expects is what the function does.
//
// A ControlPlane is a KubeadmControlPlane, an InfraMachine a DockerMachine, and a
// BootstrapConfig a KubeadmConfig.
func TestClusterAPI(t *testing.T) {
	given, got := clusterAPI(t)

	cases := map[string]struct {
		// from is the place that the keys are given at, and no other.
		from string
		keys []string

		// to is a place that they come to, and not is one that they don't come to.
		// Without either, they come to none.
		to, not string

		// over is the place that the keys are given at, too, but doesn't take
		// precedence.
		over string
	}{
		// Cluster Topology.
		"ClusterTopology: .spec.topology.controlPlane.metadata.labels => ControlPlane.labels": {
			from: "Cluster.spec.topology.controlPlane.metadata.labels",
			keys: []string{"topology.example.org/control-plane-label"},
			to:   "control-plane.metadata.labels",
		},
		"ClusterTopology: .spec.topology.controlPlane.metadata.labels => ControlPlane.spec.machineTemplate.metadata.labels": {
			from: "Cluster.spec.topology.controlPlane.metadata.labels",
			keys: []string{"topology.example.org/control-plane-label"},
			to:   "control-plane.spec.machineTemplate.metadata.labels",
		},
		"ClusterTopology: .spec.topology.controlPlane.metadata.annotations => ControlPlane.annotations": {
			from: "Cluster.spec.topology.controlPlane.metadata.annotations",
			keys: []string{"topology.example.org/control-plane-annotation"},
			to:   "control-plane.metadata.annotations",
		},
		"ClusterTopology: .spec.topology.controlPlane.metadata.annotations => ControlPlane.spec.machineTemplate.metadata.annotations": {
			from: "Cluster.spec.topology.controlPlane.metadata.annotations",
			keys: []string{"topology.example.org/control-plane-annotation"},
			to:   "control-plane.spec.machineTemplate.metadata.annotations",
		},
		"ClusterTopology: .spec.topology.machineDeployments[i].metadata.labels => MachineDeployment.labels": {
			from: "Cluster.spec.topology.machineDeployments[0].metadata.labels",
			keys: []string{"topology.example.org/machine-deployment-label"},
			to:   "machine-deployment.metadata.labels",
		},
		"ClusterTopology: .spec.topology.machineDeployments[i].metadata.labels => MachineDeployment.spec.template.metadata.labels": {
			from: "Cluster.spec.topology.machineDeployments[0].metadata.labels",
			keys: []string{"topology.example.org/machine-deployment-label"},
			to:   "machine-deployment.spec.template.metadata.labels",
		},
		"ClusterTopology: .spec.topology.machineDeployments[i].metadata.annotations => MachineDeployment.annotations": {
			from: "Cluster.spec.topology.machineDeployments[0].metadata.annotations",
			keys: []string{"topology.example.org/machine-deployment-annotation"},
			to:   "machine-deployment.metadata.annotations",
		},
		"ClusterTopology: .spec.topology.machineDeployments[i].metadata.annotations => MachineDeployment.spec.template.metadata.annotations": {
			from: "Cluster.spec.topology.machineDeployments[0].metadata.annotations",
			keys: []string{"topology.example.org/machine-deployment-annotation"},
			to:   "machine-deployment.spec.template.metadata.annotations",
		},

		// ClusterClass.
		"ClusterClass: .spec.controlPlane.metadata.labels => ControlPlane.labels": {
			from: "ClusterClass.spec.controlPlane.metadata.labels",
			keys: []string{"class.example.org/control-plane-label"},
			to:   "control-plane.metadata.labels",
		},
		"ClusterClass: .spec.controlPlane.metadata.labels => ControlPlane.spec.machineTemplate.metadata.labels": {
			from: "ClusterClass.spec.controlPlane.metadata.labels",
			keys: []string{"class.example.org/control-plane-label"},
			to:   "control-plane.spec.machineTemplate.metadata.labels",
		},
		"ClusterClass: .spec.controlPlane.metadata.annotations => ControlPlane.annotations": {
			from: "ClusterClass.spec.controlPlane.metadata.annotations",
			keys: []string{"class.example.org/control-plane-annotation"},
			to:   "control-plane.metadata.annotations",
		},
		"ClusterClass: .spec.controlPlane.metadata.annotations => ControlPlane.spec.machineTemplate.metadata.annotations": {
			from: "ClusterClass.spec.controlPlane.metadata.annotations",
			keys: []string{"class.example.org/control-plane-annotation"},
			to:   "control-plane.spec.machineTemplate.metadata.annotations",
		},
		"ClusterClass: ControlPlaneTopology labels take precedence over ControlPlaneClass labels, in ControlPlane.labels": {
			from: "Cluster.spec.topology.controlPlane.metadata.labels",
			keys: []string{"shared.example.org/control-plane-label"},
			to:   "control-plane.metadata.labels",
			over: "ClusterClass.spec.controlPlane.metadata.labels",
		},
		"ClusterClass: ControlPlaneTopology labels take precedence over ControlPlaneClass labels, in ControlPlane.spec.machineTemplate.metadata.labels": {
			from: "Cluster.spec.topology.controlPlane.metadata.labels",
			keys: []string{"shared.example.org/control-plane-label"},
			to:   "control-plane.spec.machineTemplate.metadata.labels",
			over: "ClusterClass.spec.controlPlane.metadata.labels",
		},
		"ClusterClass: ControlPlaneTopology annotations take precedence over ControlPlaneClass annotations, in ControlPlane.annotations": {
			from: "Cluster.spec.topology.controlPlane.metadata.annotations",
			keys: []string{"shared.example.org/control-plane-annotation"},
			to:   "control-plane.metadata.annotations",
			over: "ClusterClass.spec.controlPlane.metadata.annotations",
		},
		"ClusterClass: ControlPlaneTopology annotations take precedence over ControlPlaneClass annotations, in ControlPlane.spec.machineTemplate.metadata.annotations": {
			from: "Cluster.spec.topology.controlPlane.metadata.annotations",
			keys: []string{"shared.example.org/control-plane-annotation"},
			to:   "control-plane.spec.machineTemplate.metadata.annotations",
			over: "ClusterClass.spec.controlPlane.metadata.annotations",
		},
		"ClusterClass: .spec.workers.machineDeployments[i].template.metadata.labels => MachineDeployment.labels": {
			from: "ClusterClass.spec.workers.machineDeployments[0].template.metadata.labels",
			keys: []string{"class.example.org/machine-deployment-label"},
			to:   "machine-deployment.metadata.labels",
		},
		"ClusterClass: .spec.workers.machineDeployments[i].template.metadata.labels => MachineDeployment.spec.template.metadata.labels": {
			from: "ClusterClass.spec.workers.machineDeployments[0].template.metadata.labels",
			keys: []string{"class.example.org/machine-deployment-label"},
			to:   "machine-deployment.spec.template.metadata.labels",
		},
		"ClusterClass: .spec.workers.machineDeployments[i].template.metadata.annotations => MachineDeployment.annotations": {
			from: "ClusterClass.spec.workers.machineDeployments[0].template.metadata.annotations",
			keys: []string{"class.example.org/machine-deployment-annotation"},
			to:   "machine-deployment.metadata.annotations",
		},
		"ClusterClass: .spec.workers.machineDeployments[i].template.metadata.annotations => MachineDeployment.spec.template.metadata.annotations": {
			from: "ClusterClass.spec.workers.machineDeployments[0].template.metadata.annotations",
			keys: []string{"class.example.org/machine-deployment-annotation"},
			to:   "machine-deployment.spec.template.metadata.annotations",
		},
		"ClusterClass: MachineDeploymentTopology labels take precedence over MachineDeploymentClass labels, in MachineDeployment.labels": {
			from: "Cluster.spec.topology.machineDeployments[0].metadata.labels",
			keys: []string{"shared.example.org/machine-deployment-label"},
			to:   "machine-deployment.metadata.labels",
			over: "ClusterClass.spec.workers.machineDeployments[0].template.metadata.labels",
		},
		"ClusterClass: MachineDeploymentTopology labels take precedence over MachineDeploymentClass labels, in MachineDeployment.spec.template.metadata.labels": {
			from: "Cluster.spec.topology.machineDeployments[0].metadata.labels",
			keys: []string{"shared.example.org/machine-deployment-label"},
			to:   "machine-deployment.spec.template.metadata.labels",
			over: "ClusterClass.spec.workers.machineDeployments[0].template.metadata.labels",
		},
		"ClusterClass: MachineDeploymentTopology annotations take precedence over MachineDeploymentClass annotations, in MachineDeployment.annotations": {
			from: "Cluster.spec.topology.machineDeployments[0].metadata.annotations",
			keys: []string{"shared.example.org/machine-deployment-annotation"},
			to:   "machine-deployment.metadata.annotations",
			over: "ClusterClass.spec.workers.machineDeployments[0].template.metadata.annotations",
		},
		"ClusterClass: MachineDeploymentTopology annotations take precedence over MachineDeploymentClass annotations, in MachineDeployment.spec.template.metadata.annotations": {
			from: "Cluster.spec.topology.machineDeployments[0].metadata.annotations",
			keys: []string{"shared.example.org/machine-deployment-annotation"},
			to:   "machine-deployment.spec.template.metadata.annotations",
			over: "ClusterClass.spec.workers.machineDeployments[0].template.metadata.annotations",
		},

		// KubeadmControlPlane.
		"KubeadmControlPlane: .labels => Not propagated": {
			from: "control-plane.metadata.labels",
			keys: []string{"control-plane.example.org/label"},
		},
		"KubeadmControlPlane: .annotations => Not propagated": {
			from: "control-plane.metadata.annotations",
			keys: []string{"control-plane.example.org/annotation"},
		},
		"KubeadmControlPlane: .spec.machineTemplate.metadata.labels => Machine.labels": {
			from: "control-plane.spec.machineTemplate.metadata.labels",
			keys: []string{"control-plane.example.org/template-label"},
			to:   "control-plane-machine.metadata.labels",
		},
		"KubeadmControlPlane: .spec.machineTemplate.metadata.labels => InfraMachine.labels": {
			from: "control-plane.spec.machineTemplate.metadata.labels",
			keys: []string{"control-plane.example.org/template-label"},
			to:   "control-plane-infra-machine.metadata.labels",
		},
		"KubeadmControlPlane: .spec.machineTemplate.metadata.labels => BootstrapConfig.labels": {
			from: "control-plane.spec.machineTemplate.metadata.labels",
			keys: []string{"control-plane.example.org/template-label"},
			to:   "control-plane-bootstrap-config.metadata.labels",
		},
		"KubeadmControlPlane: .spec.machineTemplate.metadata.annotations => Machine.annotations": {
			from: "control-plane.spec.machineTemplate.metadata.annotations",
			keys: []string{"control-plane.example.org/template-annotation"},
			to:   "control-plane-machine.metadata.annotations",
		},
		"KubeadmControlPlane: .spec.machineTemplate.metadata.annotations => InfraMachine.annotations": {
			from: "control-plane.spec.machineTemplate.metadata.annotations",
			keys: []string{"control-plane.example.org/template-annotation"},
			to:   "control-plane-infra-machine.metadata.annotations",
		},
		"KubeadmControlPlane: .spec.machineTemplate.metadata.annotations => BootstrapConfig.annotations": {
			from: "control-plane.spec.machineTemplate.metadata.annotations",
			keys: []string{"control-plane.example.org/template-annotation"},
			to:   "control-plane-bootstrap-config.metadata.annotations",
		},

		// MachineDeployment.
		"MachineDeployment: .labels => Not propagated": {
			from: "machine-deployment.metadata.labels",
			keys: []string{"machine-deployment.example.org/label"},
		},
		"MachineDeployment: .annotations => MachineSet.annotations": {
			from: "machine-deployment.metadata.annotations",
			keys: []string{"machine-deployment.example.org/annotation"},
			to:   "machine-set.metadata.annotations",
		},
		"MachineDeployment: .annotations => Not to MachineSet.spec.template.metadata.annotations": {
			from: "machine-deployment.metadata.annotations",
			keys: []string{"machine-deployment.example.org/annotation"},
			not:  "machine-set.spec.template.metadata.annotations",
		},
		"MachineDeployment: .spec.template.metadata.labels => MachineSet.labels": {
			from: "machine-deployment.spec.template.metadata.labels",
			keys: []string{"machine-deployment.example.org/template-label"},
			to:   "machine-set.metadata.labels",
		},
		"MachineDeployment: .spec.template.metadata.labels => MachineSet.spec.template.metadata.labels": {
			from: "machine-deployment.spec.template.metadata.labels",
			keys: []string{"machine-deployment.example.org/template-label"},
			to:   "machine-set.spec.template.metadata.labels",
		},
		"MachineDeployment: .spec.template.metadata.annotations => MachineSet.spec.template.metadata.annotations": {
			from: "machine-deployment.spec.template.metadata.annotations",
			keys: []string{"machine-deployment.example.org/template-annotation"},
			to:   "machine-set.spec.template.metadata.annotations",
		},
		"MachineDeployment: .spec.template.metadata.annotations => Not to MachineSet.annotations": {
			from: "machine-deployment.spec.template.metadata.annotations",
			keys: []string{"machine-deployment.example.org/template-annotation"},
			not:  "machine-set.metadata.annotations",
		},

		// MachineSet.
		"MachineSet: .labels => Not propagated": {
			from: "machine-set.metadata.labels",
			keys: []string{"machine-set.example.org/label"},
		},
		"MachineSet: .annotations => Not propagated": {
			from: "machine-set.metadata.annotations",
			keys: []string{"machine-set.example.org/annotation"},
		},
		"MachineSet: .spec.template.metadata.labels => Machine.labels": {
			from: "machine-set.spec.template.metadata.labels",
			keys: []string{"machine-set.example.org/template-label"},
			to:   "worker-machine.metadata.labels",
		},
		"MachineSet: .spec.template.metadata.labels => InfraMachine.labels": {
			from: "machine-set.spec.template.metadata.labels",
			keys: []string{"machine-set.example.org/template-label"},
			to:   "worker-infra-machine.metadata.labels",
		},
		"MachineSet: .spec.template.metadata.labels => BootstrapConfig.labels": {
			from: "machine-set.spec.template.metadata.labels",
			keys: []string{"machine-set.example.org/template-label"},
			to:   "worker-bootstrap-config.metadata.labels",
		},
		"MachineSet: .spec.template.metadata.annotations => Machine.annotations": {
			from: "machine-set.spec.template.metadata.annotations",
			keys: []string{"machine-set.example.org/template-annotation"},
			to:   "worker-machine.metadata.annotations",
		},
		"MachineSet: .spec.template.metadata.annotations => InfraMachine.annotations": {
			from: "machine-set.spec.template.metadata.annotations",
			keys: []string{"machine-set.example.org/template-annotation"},
			to:   "worker-infra-machine.metadata.annotations",
		},
		"MachineSet: .spec.template.metadata.annotations => BootstrapConfig.annotations": {
			from: "machine-set.spec.template.metadata.annotations",
			keys: []string{"machine-set.example.org/template-annotation"},
			to:   "worker-bootstrap-config.metadata.annotations",
		},

		// Machine: those of the control plane and of the MachineSet.
		"Machine: .labels.[label-meets-criteria] => Node.labels, of the control plane": {
			from: "control-plane-machine.metadata.labels",
			keys: []string{
				"node-role.kubernetes.io/control-plane",
				"node-restriction.kubernetes.io/control-plane",
				"team-a.node-restriction.kubernetes.io/control-plane",
				"node.cluster.x-k8s.io/control-plane",
				"gpu.node.cluster.x-k8s.io/control-plane",
			},
			to: "control-plane-node.metadata.labels",
		},
		"Machine: .labels.[label-meets-criteria] => Node.labels, of the worker": {
			from: "worker-machine.metadata.labels",
			keys: []string{
				"node-role.kubernetes.io/worker",
				"node-restriction.kubernetes.io/worker",
				"team-a.node-restriction.kubernetes.io/worker",
				"node.cluster.x-k8s.io/worker",
				"gpu.node.cluster.x-k8s.io/worker",
			},
			to: "worker-node.metadata.labels",
		},
		"Machine: .labels.[label-meets-criteria] => Node.labels, of the topology": {
			from: "Cluster.spec.topology.machineDeployments[0].metadata.labels",
			keys: []string{"node.cluster.x-k8s.io/pool"},
			to:   "worker-node.metadata.labels",
		},
		"Machine: .labels that meet no criterion => Not propagated, of the control plane": {
			from: "control-plane-machine.metadata.labels",
			keys: []string{"machine.example.org/control-plane-label"},
		},
		"Machine: .labels that meet no criterion => Not propagated, of the worker": {
			from: "worker-machine.metadata.labels",
			keys: []string{"machine.example.org/worker-label", "cluster.x-k8s.io/cluster-name"},
		},
		"Machine: .annotations => Not propagated, of the control plane": {
			from: "control-plane-machine.metadata.annotations",
			keys: []string{
				"machine.example.org/control-plane-annotation",
				"node-role.kubernetes.io/control-plane-annotation",
				"node-restriction.kubernetes.io/control-plane-annotation",
				"node.cluster.x-k8s.io/control-plane-annotation",
			},
		},
		"Machine: .annotations => Not propagated, of the worker": {
			from: "worker-machine.metadata.annotations",
			keys: []string{
				"machine.example.org/worker-annotation",
				"node-role.kubernetes.io/worker-annotation",
				"node-restriction.kubernetes.io/worker-annotation",
				"node.cluster.x-k8s.io/worker-annotation",
			},
		},

		// The criteria. Subdomains belong to a domain.
		"Criteria: Has node-role.kubernetes.io as prefix, of the control plane": {
			from: "control-plane-machine.metadata.labels",
			keys: []string{"node-role.kubernetes.io/control-plane"},
			to:   "control-plane-node.metadata.labels",
		},
		"Criteria: Has node-role.kubernetes.io as prefix, of the worker": {
			from: "worker-machine.metadata.labels",
			keys: []string{"node-role.kubernetes.io/worker"},
			to:   "worker-node.metadata.labels",
		},
		"Criteria: Has node-role.kubernetes.io, but not as prefix, of the control plane": {
			from: "control-plane-machine.metadata.labels",
			keys: []string{"team-a.node-role.kubernetes.io/control-plane"},
		},
		"Criteria: Has node-role.kubernetes.io, but not as prefix, of the worker": {
			from: "worker-machine.metadata.labels",
			keys: []string{
				"team-a.node-role.kubernetes.io/worker",
				"evilnode-role.kubernetes.io/worker",
				"machine.example.org/node-role.kubernetes.io",
			},
		},
		"Criteria: Belongs to node-restriction.kubernetes.io domain, of the control plane": {
			from: "control-plane-machine.metadata.labels",
			keys: []string{"node-restriction.kubernetes.io/control-plane", "team-a.node-restriction.kubernetes.io/control-plane"},
			to:   "control-plane-node.metadata.labels",
		},
		"Criteria: Belongs to node-restriction.kubernetes.io domain, of the worker": {
			from: "worker-machine.metadata.labels",
			keys: []string{"node-restriction.kubernetes.io/worker", "team-a.node-restriction.kubernetes.io/worker"},
			to:   "worker-node.metadata.labels",
		},
		"Criteria: Has node-restriction.kubernetes.io, but doesn't belong to the domain, of the control plane": {
			from: "control-plane-machine.metadata.labels",
			keys: []string{"evilnode-restriction.kubernetes.io/control-plane", "node-restriction.kubernetes.io.example.org/control-plane"},
		},
		"Criteria: Has node-restriction.kubernetes.io, but doesn't belong to the domain, of the worker": {
			from: "worker-machine.metadata.labels",
			keys: []string{
				"evilnode-restriction.kubernetes.io/worker",
				"node-restriction.kubernetes.io.example.org/worker",
				"machine.example.org/node-restriction.kubernetes.io",
			},
		},
		"Criteria: Belongs to node.cluster.x-k8s.io domain, of the control plane": {
			from: "control-plane-machine.metadata.labels",
			keys: []string{"node.cluster.x-k8s.io/control-plane", "gpu.node.cluster.x-k8s.io/control-plane"},
			to:   "control-plane-node.metadata.labels",
		},
		"Criteria: Belongs to node.cluster.x-k8s.io domain, of the worker": {
			from: "worker-machine.metadata.labels",
			keys: []string{"node.cluster.x-k8s.io/worker", "gpu.node.cluster.x-k8s.io/worker"},
			to:   "worker-node.metadata.labels",
		},
		"Criteria: Has node.cluster.x-k8s.io, but doesn't belong to the domain, of the control plane": {
			from: "control-plane-machine.metadata.labels",
			keys: []string{"evilnode.cluster.x-k8s.io/control-plane", "node.cluster.x-k8s.io.example.org/control-plane"},
		},
		"Criteria: Has node.cluster.x-k8s.io, but doesn't belong to the domain, of the worker": {
			from: "worker-machine.metadata.labels",
			keys: []string{
				"evilnode.cluster.x-k8s.io/worker",
				"node.cluster.x-k8s.io.example.org/worker",
				"machine.example.org/node.cluster.x-k8s.io",
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, key := range tc.keys {
				// Were it given elsewhere, it could be where it should come to
				// without any rule.
				at := []string{tc.from}
				if tc.over != "" {
					at = append(at, tc.over)
				}

				if diff := cmp.Diff(slices.Sorted(slices.Values(at)), given.of(key)); diff != "" {
					t.Fatalf("where %s is given: -want, +got:\n%s", key, diff)
				}

				want := given[tc.from][key]

				if tc.over != "" && given[tc.over][key] == want {
					t.Fatalf("%s is %q at %s and at %s, so neither takes precedence", key, want, tc.from, tc.over)
				}

				value, ok := got[tc.to][key]

				switch {
				case tc.to == "" && tc.not == "":
					if diff := cmp.Diff([]string{tc.from}, got.of(key)); diff != "" {
						t.Errorf("where %s comes to: -want, +got:\n%s", key, diff)
					}
				case tc.to != "" && (!ok || value != want):
					t.Errorf("%s has %s: %t, with the value %q, want %q", tc.to, key, ok, value, want)
				case slices.Contains(got.of(key), tc.not):
					t.Errorf("%s has %s, want it not to come there", tc.not, key)
				}
			}
		})
	}
}

// TestClusterAPINothingElse tests that the composed resources of the scenario
// cluster-api have all labels and annotations that they should have, and no others.
func TestClusterAPINothingElse(t *testing.T) {
	_, got := clusterAPI(t)

	// What the topology and the class say.
	controlPlaneLabels := map[string]string{
		"class.example.org/control-plane-label":    "class",
		"shared.example.org/control-plane-label":   "topology",
		"topology.example.org/control-plane-label": "topology",
	}
	controlPlaneAnnotations := map[string]string{
		"class.example.org/control-plane-annotation":    "Set by the class.",
		"shared.example.org/control-plane-annotation":   "Set by the topology.",
		"topology.example.org/control-plane-annotation": "Set by the topology.",
	}
	machineDeploymentLabels := map[string]string{
		"class.example.org/machine-deployment-label":    "class",
		"node.cluster.x-k8s.io/pool":                    "workers",
		"shared.example.org/machine-deployment-label":   "topology",
		"topology.example.org/machine-deployment-label": "topology",
	}
	machineDeploymentAnnotations := map[string]string{
		"class.example.org/machine-deployment-annotation":    "Set by the class.",
		"shared.example.org/machine-deployment-annotation":   "Set by the topology.",
		"topology.example.org/machine-deployment-annotation": "Set by the topology.",
	}

	// What the templates have besides.
	ofControlPlaneLabels := with(controlPlaneLabels, map[string]string{"control-plane.example.org/template-label": "control-plane"})
	ofControlPlaneAnnotations := with(controlPlaneAnnotations, map[string]string{"control-plane.example.org/template-annotation": "Set in the template."})
	ofMachineDeploymentLabels := with(machineDeploymentLabels, map[string]string{"machine-deployment.example.org/template-label": "machine-deployment"})
	ofMachineDeploymentAnnotations := with(machineDeploymentAnnotations, map[string]string{"machine-deployment.example.org/template-annotation": "Set in the template."})
	ofMachineSetLabels := with(ofMachineDeploymentLabels, map[string]string{"machine-set.example.org/template-label": "machine-set"})
	ofMachineSetAnnotations := with(ofMachineDeploymentAnnotations, map[string]string{"machine-set.example.org/template-annotation": "Set in the template."})

	// The labels of Machines for Nodes.
	toControlPlaneNode := map[string]string{
		"gpu.node.cluster.x-k8s.io/control-plane":             "machine",
		"node-restriction.kubernetes.io/control-plane":        "machine",
		"node-role.kubernetes.io/control-plane":               "",
		"node.cluster.x-k8s.io/control-plane":                 "machine",
		"team-a.node-restriction.kubernetes.io/control-plane": "machine",
	}
	toWorkerNode := map[string]string{
		"gpu.node.cluster.x-k8s.io/worker":             "machine",
		"node-restriction.kubernetes.io/worker":        "machine",
		"node-role.kubernetes.io/worker":               "",
		"node.cluster.x-k8s.io/pool":                   "workers",
		"node.cluster.x-k8s.io/worker":                 "machine",
		"team-a.node-restriction.kubernetes.io/worker": "machine",
	}

	want := places{
		"control-plane.metadata.labels":                           with(controlPlaneLabels, map[string]string{"control-plane.example.org/label": "control-plane"}),
		"control-plane.metadata.annotations":                      with(controlPlaneAnnotations, map[string]string{"control-plane.example.org/annotation": "Set on the control plane."}),
		"control-plane.spec.machineTemplate.metadata.labels":      ofControlPlaneLabels,
		"control-plane.spec.machineTemplate.metadata.annotations": ofControlPlaneAnnotations,

		"control-plane-machine.metadata.labels": with(ofControlPlaneLabels, toControlPlaneNode, map[string]string{
			"evilnode-restriction.kubernetes.io/control-plane":         "machine",
			"evilnode.cluster.x-k8s.io/control-plane":                  "machine",
			"machine.example.org/control-plane-label":                  "machine",
			"node-restriction.kubernetes.io.example.org/control-plane": "machine",
			"node.cluster.x-k8s.io.example.org/control-plane":          "machine",
			"team-a.node-role.kubernetes.io/control-plane":             "machine",
		}),
		"control-plane-machine.metadata.annotations": with(ofControlPlaneAnnotations, map[string]string{
			"machine.example.org/control-plane-annotation":            "Set on the Machine.",
			"node-restriction.kubernetes.io/control-plane-annotation": "Set on the Machine.",
			"node-role.kubernetes.io/control-plane-annotation":        "Set on the Machine.",
			"node.cluster.x-k8s.io/control-plane-annotation":          "Set on the Machine.",
		}),
		"control-plane-infra-machine.metadata.labels":         ofControlPlaneLabels,
		"control-plane-infra-machine.metadata.annotations":    ofControlPlaneAnnotations,
		"control-plane-bootstrap-config.metadata.labels":      ofControlPlaneLabels,
		"control-plane-bootstrap-config.metadata.annotations": ofControlPlaneAnnotations,
		"control-plane-node.metadata.labels":                  with(toControlPlaneNode, map[string]string{"kubernetes.io/os": "linux"}),

		"machine-deployment.metadata.labels":                    with(machineDeploymentLabels, map[string]string{"machine-deployment.example.org/label": "machine-deployment"}),
		"machine-deployment.metadata.annotations":               with(machineDeploymentAnnotations, map[string]string{"machine-deployment.example.org/annotation": "Set on the MachineDeployment."}),
		"machine-deployment.spec.template.metadata.labels":      ofMachineDeploymentLabels,
		"machine-deployment.spec.template.metadata.annotations": ofMachineDeploymentAnnotations,

		"machine-set.metadata.labels": with(ofMachineDeploymentLabels, map[string]string{"machine-set.example.org/label": "machine-set"}),
		"machine-set.metadata.annotations": with(machineDeploymentAnnotations, map[string]string{
			"machine-deployment.example.org/annotation": "Set on the MachineDeployment.",
			"machine-set.example.org/annotation":        "Set on the MachineSet.",
		}),
		"machine-set.spec.template.metadata.labels":      ofMachineSetLabels,
		"machine-set.spec.template.metadata.annotations": ofMachineSetAnnotations,

		"worker-machine.metadata.labels": with(ofMachineSetLabels, toWorkerNode, map[string]string{
			"cluster.x-k8s.io/cluster-name":                      "blue",
			"evilnode-restriction.kubernetes.io/worker":          "machine",
			"evilnode-role.kubernetes.io/worker":                 "machine",
			"evilnode.cluster.x-k8s.io/worker":                   "machine",
			"machine.example.org/node-restriction.kubernetes.io": "machine",
			"machine.example.org/node-role.kubernetes.io":        "machine",
			"machine.example.org/node.cluster.x-k8s.io":          "machine",
			"machine.example.org/worker-label":                   "machine",
			"node-restriction.kubernetes.io.example.org/worker":  "machine",
			"node.cluster.x-k8s.io.example.org/worker":           "machine",
			"team-a.node-role.kubernetes.io/worker":              "machine",
		}),
		"worker-machine.metadata.annotations": with(ofMachineSetAnnotations, map[string]string{
			"machine.example.org/worker-annotation":            "Set on the Machine.",
			"node-restriction.kubernetes.io/worker-annotation": "Set on the Machine.",
			"node-role.kubernetes.io/worker-annotation":        "Set on the Machine.",
			"node.cluster.x-k8s.io/worker-annotation":          "Set on the Machine.",
		}),
		"worker-infra-machine.metadata.labels":         ofMachineSetLabels,
		"worker-infra-machine.metadata.annotations":    ofMachineSetAnnotations,
		"worker-bootstrap-config.metadata.labels":      ofMachineSetLabels,
		"worker-bootstrap-config.metadata.annotations": ofMachineSetAnnotations,
		"worker-node.metadata.labels":                  with(toWorkerNode, map[string]string{"kubernetes.io/os": "linux"}),
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("labels and annotations of composed resources: -want, +got:\n%s", diff)
	}
}

// clusterAPI returns the labels and annotations that the scenario cluster-api is given,
// by its XR, its ClusterClass and the earlier step of its pipeline, and those that its
// composed resources get.
func clusterAPI(t *testing.T) (given, got places) {
	t.Helper()

	given, got = places{}, places{}

	for _, o := range slices.Concat(objects(t, "xr.yaml"), objects(t, "required", "clusterclass.yaml")) {
		given.add(t, fmt.Sprint(o["kind"]), o)
	}

	for _, o := range objects(t, "composition.yaml") {
		for _, resource := range list(t, o, "spec", "pipeline", 0, "input", "resources") {
			given.add(t, fmt.Sprint(at(t, resource, "name")), at(t, resource, "base"))
		}
	}

	for _, o := range objects(t, "expected.yaml") {
		if o["kind"] == "Cluster" || o["kind"] == "Result" {
			continue
		}

		name := fmt.Sprint(at(t, o, "metadata", "annotations", annotationName))
		got.add(t, name, o)

		// Crossplane's own are not of interest.
		delete(got[name+".metadata.annotations"], annotationName)
		delete(got[name+".metadata.labels"], "crossplane.io/composite")
	}

	maps.DeleteFunc(got, func(_ string, m map[string]string) bool { return len(m) == 0 })

	return given, got
}

// annotationName is the annotation that says which composed resource an object is.
const annotationName = "crossplane.io/composition-resource-name"

// objects in a file of the scenario cluster-api.
func objects(t *testing.T, file ...string) []map[string]any {
	t.Helper()

	f, err := os.Open(filepath.Join("cluster-api", filepath.Join(file...)))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // Only open for reading.

	return decode(t, f)
}

// decode the objects in a YAML text.
func decode(t *testing.T, text io.Reader) []map[string]any {
	t.Helper()

	var out []map[string]any

	for d := k8syaml.NewYAMLOrJSONDecoder(text, 4096); ; {
		var o map[string]any

		if err := d.Decode(&o); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}

		if o != nil {
			out = append(out, o)
		}
	}
}

// at returns the value at the supplied path of fields and indices.
func at(t *testing.T, v any, path ...any) any {
	t.Helper()

	for i, step := range path {
		switch step := step.(type) {
		case string:
			o, _ := v.(map[string]any)
			v = o[step]
		case int:
			items, _ := v.([]any)
			if step >= len(items) {
				t.Fatalf("there is no item %v", path[:i+1])
			}

			v = items[step]
		}

		if v == nil {
			t.Fatalf("there is no field %v", path[:i+1])
		}
	}

	return v
}

// list at the supplied path of fields and indices.
func list(t *testing.T, v any, path ...any) []any {
	t.Helper()

	out, ok := at(t, v, path...).([]any)
	if !ok {
		t.Fatalf("%v is not a list", path)
	}

	return out
}

// add the labels and annotations in the supplied value, which is at the supplied path.
// They are in fields called metadata.
func (p places) add(t *testing.T, path string, v any) {
	t.Helper()

	switch v := v.(type) {
	case map[string]any:
		for name, field := range v {
			if name == "metadata" {
				p.addMetadata(t, path+".metadata", field)
			}

			p.add(t, path+"."+name, field)
		}
	case []any:
		for i, item := range v {
			p.add(t, fmt.Sprintf("%s[%d]", path, i), item)
		}
	}
}

func (p places) addMetadata(t *testing.T, path string, metadata any) {
	t.Helper()

	fields, _ := metadata.(map[string]any)

	for _, name := range []string{"labels", "annotations"} {
		entries, _ := fields[name].(map[string]any)
		if len(entries) == 0 {
			continue
		}

		m := map[string]string{}

		for key, value := range entries {
			s, ok := value.(string)
			if !ok {
				t.Fatalf("%s.%s has %s, which is not a string", path, name, key)
			}

			m[key] = s
		}

		p[path+"."+name] = m
	}
}

// of returns where the supplied key is.
func (p places) of(key string) []string {
	var out []string

	for _, path := range slices.Sorted(maps.Keys(p)) {
		if _, ok := p[path][key]; ok {
			out = append(out, path)
		}
	}

	return out
}
