package live

// An Xid is the number of an error event of NVIDIA's driver. The severity follows the column "Immediate Action" of
// NVIDIA's catalogue: https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html, for driver 610.

// resetXIDs require a reset of the device or the machine: RESET_GPU, RESTART_BM, RESTART_VM, and WORKFLOW_XID_48 and
// WORKFLOW_NVLINK_ERR, which end with one.
var resetXIDs = xidRanges{
	{46, 46}, {48, 48}, {62, 62}, {64, 64}, {74, 74}, {79, 79}, {95, 95}, {109, 110}, {119, 120}, {136, 136},
	{140, 140}, {143, 143}, {151, 151}, {155, 156}, {158, 158},
}

// passingXIDs require at most the restart of a program: RESTART_APP and IGNORE, and 45 and 154, which accompany another
// event.
var passingXIDs = xidRanges{
	{8, 8}, {11, 11}, {13, 14}, {25, 25}, {31, 32}, {37, 41}, {43, 45}, {60, 60}, {63, 63}, {66, 72}, {75, 77},
	{80, 80}, {82, 86}, {88, 89}, {92, 94}, {96, 108}, {121, 121}, {126, 135}, {137, 137}, {139, 139}, {141, 141},
	{152, 154}, {157, 157}, {160, 161},
}

type xidRanges [][2]int

func (r xidRanges) contains(n int) bool {
	for _, x := range r {
		if x[0] <= n && n <= x[1] {
			return true
		}
	}
	return false
}

// XIDSeverity is the severity of an error event of NVIDIA's driver: a fault when it requires a reset, information when
// it requires at most the restart of a program, else a warning. A warning has to be decoded or checked first, or has no
// action in NVIDIA's catalogue.
func XIDSeverity(n int) Severity {
	switch {
	case resetXIDs.contains(n):
		return Fault
	case passingXIDs.contains(n):
		return Info
	}
	return Warning
}
