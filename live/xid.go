package live

// An Xid is the number of an error event of NVIDIA's driver. What is to be done about
// each says NVIDIA's catalogue, whose column "Immediate Action" decides here:
// https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html, of driver 610.

// resetXIDs are those after which the device or the machine is to be reset: RESET_GPU,
// RESTART_BM, RESTART_VM, and WORKFLOW_XID_48 and WORKFLOW_NVLINK_ERR, which end there.
var resetXIDs = xidRanges{{46, 46}, {48, 48}, {62, 62}, {64, 64}, {74, 74}, {79, 79}, {95, 95}, {109, 110}, {119, 120}, {136, 136},
	{140, 140}, {143, 143}, {151, 151}, {155, 156}, {158, 158}}

// passingXIDs are those after which a program is to be started again, or nothing is to
// be done: RESTART_APP and IGNORE, and 45 and 154, which tell of another event.
var passingXIDs = xidRanges{{8, 8}, {11, 11}, {13, 14}, {25, 25}, {31, 32}, {37, 41}, {43, 45}, {60, 60}, {63, 63}, {66, 72}, {75, 77},
	{80, 80}, {82, 86}, {88, 89}, {92, 94}, {96, 108}, {121, 121}, {126, 135}, {137, 137}, {139, 139}, {141, 141}, {152, 154}, {157, 157},
	{160, 161}}

type xidRanges [][2]int

func (r xidRanges) have(n int) bool {
	for _, x := range r {
		if x[0] <= n && n <= x[1] {
			return true
		}
	}
	return false
}

// XIDSeverity says how much an error event of NVIDIA's driver matters: a fault when
// the device or the machine is to be reset, no more than information when a program
// has to be started again at most, else a warning: what is to be decoded or checked
// first, and what the catalogue does not have or has no action for.
func XIDSeverity(n int) Severity {
	switch {
	case resetXIDs.have(n):
		return Fault
	case passingXIDs.have(n):
		return Info
	}
	return Warning
}
