//go:build linux && (amd64 || arm64) && !nonvml

package nvml

import (
	"structs"
	"unsafe"
)

// What is used of nvml.h, NVIDIA's header of the library, in Go. A comment at the end
// of a line is the name in C; fields of structs are called as in C. A test has a C
// compiler compare all of it with the header: types of arguments, sizes, offsets of
// fields, values. Declarations only: the test reads this file by itself.

type (
	status    int32   // nvmlReturn_t
	handle    uintptr // nvmlDevice_t
	eventSet  uintptr // nvmlEventSet_t
	gpmSample uintptr // nvmlGpmSample_t

	clockType      uint32 // nvmlClockType_t
	sensor         uint32 // nvmlTemperatureSensors_t
	pstate         uint32 // nvmlPstates_t
	memoryError    uint32 // nvmlMemoryErrorType_t
	eccCounter     uint32 // nvmlEccCounterType_t
	enabled        uint32 // nvmlEnableState_t
	virtualization uint32 // nvmlGpuVirtualizationMode_t
	valueType      uint32 // nvmlValueType_t
	valueUnion     uint64 // nvmlValue_t
)

const (
	statusSuccess                 status = 0   // NVML_SUCCESS
	statusUninitialized           status = 1   // NVML_ERROR_UNINITIALIZED
	statusInvalidArgument         status = 2   // NVML_ERROR_INVALID_ARGUMENT
	statusNotSupported            status = 3   // NVML_ERROR_NOT_SUPPORTED
	statusNoPermission            status = 4   // NVML_ERROR_NO_PERMISSION
	statusNotFound                status = 6   // NVML_ERROR_NOT_FOUND
	statusInsufficientSize        status = 7   // NVML_ERROR_INSUFFICIENT_SIZE
	statusInsufficientPower       status = 8   // NVML_ERROR_INSUFFICIENT_POWER
	statusDriverNotLoaded         status = 9   // NVML_ERROR_DRIVER_NOT_LOADED
	statusTimeout                 status = 10  // NVML_ERROR_TIMEOUT
	statusIRQIssue                status = 11  // NVML_ERROR_IRQ_ISSUE
	statusLibraryNotFound         status = 12  // NVML_ERROR_LIBRARY_NOT_FOUND
	statusFunctionNotFound        status = 13  // NVML_ERROR_FUNCTION_NOT_FOUND
	statusGPUIsLost               status = 15  // NVML_ERROR_GPU_IS_LOST
	statusResetRequired           status = 16  // NVML_ERROR_RESET_REQUIRED
	statusOperatingSystem         status = 17  // NVML_ERROR_OPERATING_SYSTEM
	statusVersionMismatch         status = 18  // NVML_ERROR_LIB_RM_VERSION_MISMATCH
	statusArgumentVersionMismatch status = 25  // NVML_ERROR_ARGUMENT_VERSION_MISMATCH
	statusDeprecated              status = 26  // NVML_ERROR_DEPRECATED
	statusGPUNotFound             status = 28  // NVML_ERROR_GPU_NOT_FOUND
	statusUnknown                 status = 999 // NVML_ERROR_UNKNOWN
)

const (
	clockSM                clockType      = 1  // NVML_CLOCK_SM
	clockMemory            clockType      = 2  // NVML_CLOCK_MEM
	sensorGPU              sensor         = 0  // NVML_TEMPERATURE_GPU
	pstateLowest           pstate         = 15 // NVML_PSTATE_15
	memoryErrorUncorrected memoryError    = 1  // NVML_MEMORY_ERROR_TYPE_UNCORRECTED
	eccVolatile            eccCounter     = 0  // NVML_VOLATILE_ECC
	featureEnabled         enabled        = 1  // NVML_FEATURE_ENABLED
	virtualizationGuest    virtualization = 2  // NVML_GPU_VIRTUALIZATION_MODE_VGPU
	migEnabled             uint32         = 1  // NVML_DEVICE_MIG_ENABLE
	maxNVLinks                            = 36 // NVML_NVLINK_MAX_LINKS
	eventXID               uint64         = 8  // nvmlEventTypeXidCriticalError
)

// Lengths of texts in bytes, with the zero at their end.
const (
	driverVersionSize = 80 // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE
	nameSize          = 96 // NVML_DEVICE_NAME_V2_BUFFER_SIZE
	uuidSize          = 96 // NVML_DEVICE_UUID_V2_BUFFER_SIZE
)

// Why a clock is lower than it could be: bits.
const (
	reasonIdle             uint64 = 0x001 // nvmlClocksEventReasonGpuIdle
	reasonApplicationClock uint64 = 0x002 // nvmlClocksEventReasonApplicationsClocksSetting
	reasonPowerCap         uint64 = 0x004 // nvmlClocksEventReasonSwPowerCap
	reasonHardware         uint64 = 0x008 // nvmlClocksThrottleReasonHwSlowdown
	reasonSyncBoost        uint64 = 0x010 // nvmlClocksEventReasonSyncBoost
	reasonThermal          uint64 = 0x020 // nvmlClocksEventReasonSwThermalSlowdown
	reasonHardwareThermal  uint64 = 0x040 // nvmlClocksThrottleReasonHwThermalSlowdown
	reasonPowerBrake       uint64 = 0x080 // nvmlClocksThrottleReasonHwPowerBrakeSlowdown
	reasonDisplayClock     uint64 = 0x100 // nvmlClocksEventReasonDisplayClockSetting
)

const (
	fieldMemoryTemperature uint32 = 82  // NVML_FI_DEV_MEMORY_TEMP
	fieldNVLinks           uint32 = 91  // NVML_FI_DEV_NVLINK_LINK_COUNT
	fieldNVLinkSent        uint32 = 138 // NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX
	fieldNVLinkReceived    uint32 = 139 // NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_RX
	fieldPCIeSent          uint32 = 197 // NVML_FI_DEV_PCIE_COUNT_TX_BYTES
	fieldPCIeReceived      uint32 = 198 // NVML_FI_DEV_PCIE_COUNT_RX_BYTES
)

const (
	valueDouble           valueType = 0 // NVML_VALUE_TYPE_DOUBLE
	valueUnsignedInt      valueType = 1 // NVML_VALUE_TYPE_UNSIGNED_INT
	valueUnsignedLong     valueType = 2 // NVML_VALUE_TYPE_UNSIGNED_LONG
	valueUnsignedLongLong valueType = 3 // NVML_VALUE_TYPE_UNSIGNED_LONG_LONG
	valueSignedLongLong   valueType = 4 // NVML_VALUE_TYPE_SIGNED_LONG_LONG
	valueSignedInt        valueType = 5 // NVML_VALUE_TYPE_SIGNED_INT
	valueUnsignedShort    valueType = 6 // NVML_VALUE_TYPE_UNSIGNED_SHORT
)

const (
	gpmGraphics       uint32 = 1   // NVML_GPM_METRIC_GRAPHICS_UTIL
	gpmSM             uint32 = 2   // NVML_GPM_METRIC_SM_UTIL
	gpmSMOccupancy    uint32 = 3   // NVML_GPM_METRIC_SM_OCCUPANCY
	gpmTensor         uint32 = 5   // NVML_GPM_METRIC_ANY_TENSOR_UTIL
	gpmDRAM           uint32 = 10  // NVML_GPM_METRIC_DRAM_BW_UTIL
	gpmFP64           uint32 = 11  // NVML_GPM_METRIC_FP64_UTIL
	gpmFP32           uint32 = 12  // NVML_GPM_METRIC_FP32_UTIL
	gpmFP16           uint32 = 13  // NVML_GPM_METRIC_FP16_UTIL
	gpmPCIeSent       uint32 = 20  // NVML_GPM_METRIC_PCIE_TX_PER_SEC
	gpmPCIeReceived   uint32 = 21  // NVML_GPM_METRIC_PCIE_RX_PER_SEC
	gpmNVLinkReceived uint32 = 60  // NVML_GPM_METRIC_NVLINK_TOTAL_RX_PER_SEC
	gpmNVLinkSent     uint32 = 61  // NVML_GPM_METRIC_NVLINK_TOTAL_TX_PER_SEC
	gpmMax                   = 333 // NVML_GPM_METRIC_MAX
)

// Versions of structs, which tell the library which one it gets.
const (
	memoryV2Version    = uint32(unsafe.Sizeof(memoryV2{})) | 2<<24    // nvmlMemory_v2
	temperatureVersion = uint32(unsafe.Sizeof(temperature{})) | 1<<24 // nvmlTemperature_v1
	gpmMetricsVersion  = 1                                            // NVML_GPM_METRICS_GET_VERSION
	gpmSupportVersion  = 1                                            // NVML_GPM_SUPPORT_VERSION
)

type utilization struct { // nvmlUtilization_t
	_           structs.HostLayout
	gpu, memory uint32 // percent
}

type memory struct { // nvmlMemory_t
	_                 structs.HostLayout
	total, free, used uint64 // bytes
}

type memoryV2 struct { // nvmlMemory_v2_t
	_                           structs.HostLayout
	version                     uint32
	total, reserved, free, used uint64 // bytes
}

type temperature struct { // nvmlTemperature_t
	_           structs.HostLayout
	version     uint32
	sensorType  sensor
	temperature int32 // °C
}

type pciInfo struct { // nvmlPciInfo_t
	_                   structs.HostLayout
	busIdLegacy         [16]byte
	domain, bus, device uint32
	pciDeviceId         uint32 // device above vendor
	pciSubSystemId      uint32 // the same way
	busId               [32]byte
}

type processV1 struct { // nvmlProcessInfo_v1_t
	_             structs.HostLayout
	pid           uint32
	usedGpuMemory uint64 // bytes; all bits set: unknown
}

type processV2 struct { // nvmlProcessInfo_v2_t
	_                                structs.HostLayout
	pid                              uint32
	usedGpuMemory                    uint64 // bytes; all bits set: unknown
	gpuInstanceId, computeInstanceId uint32
}

type fieldValue struct { // nvmlFieldValue_t
	_                structs.HostLayout
	fieldId, scopeId uint32
	timestamp        int64 // µs since 1970
	latencyUsec      int64
	valueType        valueType
	nvmlReturn       status
	value            valueUnion
}

type eventData struct { // nvmlEventData_t
	_                                structs.HostLayout
	device                           handle
	eventType, eventData             uint64
	gpuInstanceId, computeInstanceId uint32
}

type gpmMetricInfo struct { // nvmlGpmMetricMetricInfo_t
	_                         structs.HostLayout
	shortName, longName, unit uintptr
}

type gpmMetric struct { // nvmlGpmMetric_t
	_          structs.HostLayout
	metricId   uint32
	nvmlReturn status
	value      float64
	metricInfo gpmMetricInfo
}

type gpmMetricsGet struct { // nvmlGpmMetricsGet_t
	_                   structs.HostLayout
	version, numMetrics uint32
	sample1, sample2    gpmSample
	metrics             [gpmMax]gpmMetric
}

type gpmSupport struct { // nvmlGpmSupport_t
	_                          structs.HostLayout
	version, isSupportedDevice uint32
}

// Functions of several kinds.
type (
	get32           = func(handle, *uint32) status
	get64           = func(handle, *uint64) status
	getText         = func(h handle, to *byte, size uint32) status
	getProcesses    = func(h handle, count *uint32, to *processV2) status
	getOldProcesses = func(h handle, count *uint32, to *processV1) status
)

// functions are what is called of the library. The name in C is that of the field
// after "nvml", and a tag has older names in the same way.
type functions struct {
	Init_v2                       func() status `else:"Init"`
	Shutdown                      func() status
	SystemGetDriverVersion        func(*byte, uint32) status
	SystemGetCudaDriverVersion_v2 func(*int32) status          `else:"SystemGetCudaDriverVersion"`
	DeviceGetCount_v2             func(*uint32) status         `else:"DeviceGetCount"`
	DeviceGetHandleByIndex_v2     func(uint32, *handle) status `else:"DeviceGetHandleByIndex"`

	// What a device is.
	DeviceGetUUID                   getText
	DeviceGetName                   getText
	DeviceGetPciInfo_v3             func(handle, *pciInfo) status `else:"DeviceGetPciInfo_v2 DeviceGetPciInfo"`
	DeviceGetCudaComputeCapability  func(h handle, major, minor *int32) status
	DeviceGetNumGpuCores            get32
	DeviceGetMemoryBusWidth         get32
	DeviceGetMaxClockInfo           func(handle, clockType, *uint32) status
	DeviceGetVirtualizationMode     func(handle, *virtualization) status
	DeviceGetMigMode                func(h handle, current, pending *uint32) status
	DeviceGetMaxMigDeviceCount      get32
	DeviceGetMigDeviceHandleByIndex func(handle, uint32, *handle) status
	DeviceGetGpuInstanceId          get32

	// What it does.
	DeviceGetUtilizationRates            func(handle, *utilization) status
	DeviceGetMemoryInfo_v2               func(handle, *memoryV2) status
	DeviceGetMemoryInfo                  func(handle, *memory) status
	DeviceGetPowerUsage                  get32                                // mW
	DeviceGetEnforcedPowerLimit          get32                                // mW
	DeviceGetPowerManagementDefaultLimit get32                                // mW
	DeviceGetTotalEnergyConsumption      get64                                // mJ
	DeviceGetTemperature                 func(handle, sensor, *uint32) status // °C
	DeviceGetTemperatureV                func(handle, *temperature) status
	DeviceGetClockInfo                   func(handle, clockType, *uint32) status // MHz
	DeviceGetPerformanceState            func(handle, *pstate) status
	DeviceGetCurrentClocksEventReasons   get64 `else:"DeviceGetCurrentClocksThrottleReasons"`
	DeviceGetEncoderUtilization          func(h handle, percent, micros *uint32) status
	DeviceGetDecoderUtilization          func(h handle, percent, micros *uint32) status
	DeviceGetFanSpeed                    get32 // percent
	DeviceGetCurrPcieLinkGeneration      get32
	DeviceGetCurrPcieLinkWidth           get32
	DeviceGetMaxPcieLinkGeneration       get32
	DeviceGetMaxPcieLinkWidth            get32
	DeviceGetNvLinkState                 func(handle, uint32, *enabled) status
	DeviceGetFieldValues                 func(handle, int32, *fieldValue) status
	DeviceGetTotalEccErrors              func(handle, memoryError, eccCounter, *uint64) status
	DeviceGetRemappedRows                func(h handle, corrected, uncorrected, pending, failure *uint32) status
	DeviceGetComputeRunningProcesses_v3  getProcesses `else:"DeviceGetComputeRunningProcesses_v2"`
	DeviceGetComputeRunningProcesses     getOldProcesses
	DeviceGetGraphicsRunningProcesses_v3 getProcesses `else:"DeviceGetGraphicsRunningProcesses_v2"`
	DeviceGetGraphicsRunningProcesses    getOldProcesses

	// Performance monitors.
	GpmQueryDeviceSupport func(handle, *gpmSupport) status
	GpmSampleAlloc        func(*gpmSample) status
	GpmSampleFree         func(gpmSample) status
	GpmSampleGet          func(handle, gpmSample) status
	GpmMigSampleGet       func(handle, uint32, gpmSample) status
	GpmMetricsGet         func(*gpmMetricsGet) status

	// Events.
	EventSetCreate       func(*eventSet) status
	EventSetFree         func(eventSet) status
	EventSetWait_v2      func(eventSet, *eventData, uint32) status `else:"EventSetWait"` // ms
	DeviceRegisterEvents func(handle, uint64, eventSet) status
}
