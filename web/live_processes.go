package web

import (
	"strconv"

	"tianti/catalog"
	"tianti/live"
	"tianti/web/api"
	"tianti/web/view"
)

// knowsProcesses reports whether who asks may know who uses the devices: whoever has
// signed in, or sends a token that may read.
func (s *Server) knowsProcesses(r *request) bool {
	_, err := s.allow(r.Request, toRead)
	return err == nil
}

// liveAnswer is what the devices are doing, for programs.
func (s *Server) liveAnswer(st *state, r *request, host string, v *live.View) api.Live {
	answer := api.LiveOf(st.snap, v, host)
	if s.knowsProcesses(r) {
		return answer.WithProcesses(v)
	}
	return answer
}

// mostProcesses is how many the page lists.
const mostProcesses = 200

// addProcesses lists the processes for those who may know of them, and tells others
// why there are none.
func (s *Server) addProcesses(r *request, page *view.Live, host string, v *live.View) {
	l := r.loc
	if !s.knowsProcesses(r) {
		page.ProcessNote = l.T("livepage.processes.hidden")
		if s.administered() {
			page.SignIn = view.Link{Label: l.T("livepage.processes.signin"), Href: l.Path("/admin/sign-in") + "?" + paramsEncoded("next", l.Path("/live"))}
		}
		return
	}
	page.ProcessNote, page.ShowProcesses = l.T("livepage.processes.shown"), true
	for i := range v.Frame.Hosts {
		h := &v.Frame.Hosts[i]
		if host != "" && h.Name != host {
			continue
		}
		for j := range h.Devices {
			d := &h.Devices[j]
			for _, p := range d.Processes {
				if len(page.Processes) == mostProcesses {
					return
				}
				page.Processes = append(page.Processes, processRow(r, h, d, p))
			}
		}
	}
}

func processRow(r *request, h *live.Host, d *live.Device, p live.Process) view.LiveProcess {
	row := view.LiveProcess{Host: h.Name, Device: strconv.Itoa(d.Index), DeviceName: d.Name, PID: strconv.Itoa(p.PID), Name: catalog.Clip(p.Name), User: p.User}
	if p.Memory > 0 {
		row.Memory = r.loc.Number(float64(p.Memory)/(1<<30)) + " GiB"
	}
	if p.Kind != "" {
		row.Kind = r.loc.T("livepage.processes.kinds." + p.Kind)
	}
	return row
}
