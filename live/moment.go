package live

// Moment is the view's, for the devices of a host.
func (v *View) Moment(h *Host) Moment {
	return Moment{Taken: v.Frame.Taken, Now: v.Now, Fresh: staleAfter * max(v.every, h.interval())}
}
