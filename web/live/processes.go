package live

import (
	"strconv"

	"tianti/catalog"
	"tianti/live"
	"tianti/web/api"
	"tianti/web/session"
	"tianti/web/site"
	"tianti/web/ui"
)

// knowsProcesses reports whether who asks may know who uses the devices: whoever has
// signed in, or sends a token that may read.
func (h *Handler) knowsProcesses(r *site.Request) bool {
	_, err := h.session.Authorize(r.Request, session.ToRead)
	return err == nil
}

// liveAnswer is what the devices are doing, for programs.
func (h *Handler) liveAnswer(st *site.State, r *site.Request, host string, v *live.View) api.Live {
	answer := api.LiveOf(st.Snap, v, host)
	if h.knowsProcesses(r) {
		return answer.WithProcesses(v)
	}
	return answer
}

// mostProcesses is how many the page lists.
const mostProcesses = 200

// addProcesses lists the processes for those who may know of them, and tells others
// why there are none.
func (s *Handler) addProcesses(r *site.Request, page *liveData, host string, v *live.View) {
	l := r.Loc
	if !s.knowsProcesses(r) {
		page.ProcessNote = l.T("livepage.processes.hidden")
		if s.site.SignIn {
			page.SignIn = ui.Link{Label: l.T("livepage.processes.signin"), Href: l.Path("/admin/sign-in") + "?" +
				site.ParamsEncoded("next", l.Path("/live"))}
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

func processRow(r *site.Request, h *live.Host, d *live.Device, p live.Process) liveProcess {
	row := liveProcess{Host: h.Name, Device: strconv.Itoa(d.Index), DeviceName: d.Name, PID: strconv.Itoa(p.PID),
		Name: catalog.Clip(p.Name), User: p.User}
	if p.Memory > 0 {
		row.Memory = r.Loc.Number(float64(p.Memory)/(1<<30)) + " GiB"
	}
	if p.Kind != "" {
		row.Kind = r.Loc.T("livepage.processes.kinds." + p.Kind)
	}
	return row
}
