package main

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
)

// k8sObject is as much of the objects of Kubernetes as docs/kubernetes.yaml uses; a field that stands elsewhere, or is
// spelt otherwise, is an error.
type k8sObject struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   k8sMeta
	Data       map[string]string
	Spec       k8sSpec
}

type k8sMeta struct {
	Name   string
	Labels map[string]string
}

type k8sSelector struct {
	MatchLabels map[string]string `yaml:"matchLabels"`
}

// k8sSpec is that of every kind of object.
type k8sSpec struct {
	Replicas int
	Strategy struct{ Type string }
	Selector map[string]any // of a Service it is the labels themselves
	Template struct {
		Metadata k8sMeta
		Spec     k8sPod
	}
	AccessModes  []string `yaml:"accessModes"`
	Resources    k8sResources
	MinAvailable int `yaml:"minAvailable"`
	Ports        []struct {
		Name       string
		Port       int
		TargetPort string `yaml:"targetPort"`
	}
}

type k8sResources struct{ Requests, Limits map[string]string }

type k8sPod struct {
	AutomountServiceAccountToken  *bool `yaml:"automountServiceAccountToken"`
	TerminationGracePeriodSeconds int   `yaml:"terminationGracePeriodSeconds"`
	TopologySpreadConstraints     []struct {
		MaxSkew           int         `yaml:"maxSkew"`
		TopologyKey       string      `yaml:"topologyKey"`
		WhenUnsatisfiable string      `yaml:"whenUnsatisfiable"`
		LabelSelector     k8sSelector `yaml:"labelSelector"`
	} `yaml:"topologySpreadConstraints"`
	SecurityContext struct {
		RunAsNonRoot   bool                  `yaml:"runAsNonRoot"`
		RunAsUser      int                   `yaml:"runAsUser"`
		FSGroup        int                   `yaml:"fsGroup"`
		SeccompProfile struct{ Type string } `yaml:"seccompProfile"`
	} `yaml:"securityContext"`
	Containers []k8sContainer
	Volumes    []struct {
		Name                  string
		PersistentVolumeClaim *struct {
			ClaimName string `yaml:"claimName"`
		} `yaml:"persistentVolumeClaim"`
		EmptyDir *struct {
			SizeLimit string `yaml:"sizeLimit"`
		} `yaml:"emptyDir"`
	}
}

type k8sContainer struct {
	Name, Image string
	Args        []string
	EnvFrom     []struct {
		ConfigMapRef *k8sMeta `yaml:"configMapRef"`
		SecretRef    *k8sMeta `yaml:"secretRef"`
	} `yaml:"envFrom"`
	Env   []struct{ Name, Value string }
	Ports []struct {
		Name          string
		ContainerPort int `yaml:"containerPort"`
	}
	StartupProbe    k8sProbe `yaml:"startupProbe"`
	LivenessProbe   k8sProbe `yaml:"livenessProbe"`
	ReadinessProbe  k8sProbe `yaml:"readinessProbe"`
	Resources       k8sResources
	SecurityContext struct {
		AllowPrivilegeEscalation *bool                   `yaml:"allowPrivilegeEscalation"`
		ReadOnlyRootFilesystem   bool                    `yaml:"readOnlyRootFilesystem"`
		Capabilities             struct{ Drop []string } `yaml:"capabilities"`
	} `yaml:"securityContext"`
	VolumeMounts []struct {
		Name      string
		MountPath string `yaml:"mountPath"`
	} `yaml:"volumeMounts"`
}

type k8sProbe struct {
	HTTPGet struct {
		Path, Port string
	} `yaml:"httpGet"`
	PeriodSeconds    int `yaml:"periodSeconds"`
	TimeoutSeconds   int `yaml:"timeoutSeconds"`
	FailureThreshold int `yaml:"failureThreshold"`
}

func readManifests(t *testing.T) map[string]k8sObject {
	t.Helper()
	text, err := os.ReadFile("../../docs/kubernetes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]k8sObject{}
	d := yaml.NewDecoder(bytes.NewReader(text), yaml.DisallowUnknownField())
	for {
		var o k8sObject
		switch err := d.Decode(&o); {
		case errors.Is(err, io.EOF):
			return out
		case err != nil:
			t.Fatal(err)
		}
		out[o.Kind+" "+o.Metadata.Name] = o
	}
}

// TestTheManifestsForKubernetesAreOfThisProgram holds docs/kubernetes.yaml against the command line, the probes, and
// itself.
func TestTheManifestsForKubernetesAreOfThisProgram(t *testing.T) {
	t.Parallel()
	all := readManifests(t)
	want := []string{"ConfigMap tianti", "Deployment tianti-reader", "Deployment tianti-writer",
		"PersistentVolumeClaim tianti-writer", "PodDisruptionBudget tianti-reader", "Service tianti-reader",
		"Service tianti-writer"}
	if got := slices.Sorted(maps.Keys(all)); !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	for name, api := range map[string]string{"ConfigMap": "v1", "Deployment": "apps/v1", "Service": "v1",
		"PodDisruptionBudget": "policy/v1", "PersistentVolumeClaim": "v1"} {
		for key, o := range all {
			if o.Kind == name && o.APIVersion != api {
				t.Errorf("%s: got %s, want %s", key, o.APIVersion, api)
			}
		}
	}
	for role, replicas := range map[string]int{"writer": 1, "reader": 2} {
		d := all["Deployment tianti-"+role]
		if d.Spec.Replicas != replicas || role == "writer" && d.Spec.Strategy.Type != "Recreate" {
			t.Errorf("%s: got %d replicas, %q; want %d", role, d.Spec.Replicas, d.Spec.Strategy.Type, replicas)
		}
		labels := d.Spec.Template.Metadata.Labels
		if got := d.Spec.Selector["matchLabels"]; !sameLabels(got, labels) ||
			!sameLabels(all["Service tianti-"+role].Spec.Selector, labels) {
			t.Errorf("%s: selectors do not choose the pods with %v", role, labels)
		}
		checkPod(t, role, &d.Spec.Template.Spec, all["ConfigMap tianti"].Data)
	}
}

func sameLabels(got any, want map[string]string) bool {
	m, ok := got.(map[string]any)
	out := map[string]string{}
	for k, v := range m {
		out[k], _ = v.(string)
	}
	return ok && reflect.DeepEqual(out, want)
}

func checkPod(t *testing.T, role string, pod *k8sPod, config map[string]string) {
	t.Helper()
	c := pod.Containers[0]
	s, escalates := c.SecurityContext, pod.SecurityContext
	if !escalates.RunAsNonRoot || escalates.RunAsUser != 65532 || !s.ReadOnlyRootFilesystem ||
		s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation || !slices.Equal(s.Capabilities.Drop,
		[]string{"ALL"}) {
		t.Errorf("%s: got %+v, %+v", role, escalates, s)
	}
	for _, p := range []struct {
		probe k8sProbe
		path  string
	}{{c.StartupProbe, "/healthz"}, {c.LivenessProbe, "/healthz"}, {c.ReadinessProbe, "/readyz"}} {
		if p.probe.HTTPGet.Path != p.path || p.probe.HTTPGet.Port != c.Ports[0].Name {
			t.Errorf("%s: got %+v, want %s", role, p.probe, p.path)
		}
	}
	if len(pod.Volumes) != 1 || c.VolumeMounts[0].Name != pod.Volumes[0].Name ||
		c.VolumeMounts[0].MountPath != "/data" {
		t.Errorf("%s: got %+v", role, c.VolumeMounts)
	}
	env := maps.Clone(config)
	for _, e := range c.Env {
		env[e.Name] = e.Value
	}
	read := map[string]bool{}
	getenv := func(name string) string { read[name] = true; return env[name] }
	cmd, err := parse(slices.Clone(c.Args), getenv, io.Discard)
	if err != nil {
		t.Fatalf("%s: tianti %s: %v", role, strings.Join(c.Args, " "), err)
	}
	serve, ok := cmd.(*serveCmd)
	if !ok || serve.Listen != ":8080" || c.Ports[0].ContainerPort != 8080 || serve.LogFormat != "json" {
		t.Fatalf("%s: got %+v", role, cmd)
	}
	leaving := serve.Drain + drainTimeout + 5*time.Second // to close the database
	if has := time.Duration(pod.TerminationGracePeriodSeconds) * time.Second; has < leaving {
		t.Errorf("%s: the server may take %s to end and has %s", role, leaving, has)
	}
	switch role {
	case "writer":
		if !strings.HasPrefix(string(serve.DB), "/data/") || !strings.HasPrefix(serve.Publish, "s3://") ||
			serve.From != "" {
			t.Errorf("got %+v", serve)
		}
	case "reader":
		if !strings.HasPrefix(serve.FromFolder, "/data/") || !strings.HasPrefix(serve.From, "s3://") ||
			serve.Publish != "" {
			t.Errorf("got %+v", serve)
		}
	}
	for name := range env {
		if !read[name] && !slices.Contains([]string{"AWS_ENDPOINT_URL_S3", "AWS_REGION", "AWS_EC2_METADATA_DISABLED",
			"GOMEMLIMIT"}, name) {
			t.Errorf("%s: variable %s is none that is read", role, name)
		}
	}
}
