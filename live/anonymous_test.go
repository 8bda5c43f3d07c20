package live

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAnonymousFramesNameNobody(t *testing.T) {
	frame := func(name, user string) Frame {
		return Frame{Source: "nvml", Taken: monday,
			Hosts: []Host{{Name: "a", Devices: []Device{{UUID: "GPU-0",
				Processes: []Process{{PID: 4, Name: name, User: user, Memory: 1 << 30, Kind: "compute"}}}}}}}
	}
	f := frame("train.py", "ada")
	if diff := cmp.Diff(frame("", ""), f.Anonymous()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff(frame("train.py", "ada"), f); diff != "" {
		t.Errorf("the frame itself has changed: -want +got:\n%s", diff)
	}
}
