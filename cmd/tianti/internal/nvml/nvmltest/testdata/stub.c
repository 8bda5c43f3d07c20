// A stand-in for NVIDIA's management library: cards as the environment says.
//
//   STUB_INIT=9        status of nvmlInit
//   STUB_CARDS=8       how many cards
//   STUB_LOST=2        index of a card that falls off its bus
//   STUB_LOST_AFTER=1  calls for its power before it does; 0 is from the start
//   STUB_BACK_AT=2     which nvmlInit finds that card again; 0 is none
//   STUB_PROCESSES=2   how many processes compute on each card
//   STUB_HANG_AFTER=1  calls for power after which one never returns
//   STUB_GONE_AFTER=1  calls for power after which the driver is of another version
//   STUB_REFUSED=1     index of a card that may not be opened; -2 is every card
//   STUB_FORBIDDEN=1   performance monitors are for administrators
//   STUB_PCIE=1        traffic of PCIe is counted: sent in 64 bits, received in 32
//   STUB_NONE=1        cards tell nothing but who they are
//   STUB_MIG=1         the first card is divided into two slices
//   STUB_VGPU=1        cards are virtual
//   STUB_UNIFIED=1     cards have no memory of their own
//   STUB_XID=79        the first card reports this error, once
//   STUB_XID_AFTER=1   after so many of its calls for power that count for STUB_LOST
//
// Compiled with -DOLD it is the library of an old driver, with -DEMPTY it has no
// function at all.

#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <time.h>
#include "nvml.h"

#ifndef EMPTY

struct nvmlDevice_st { int index, slice; };
struct nvmlGpmSample_st { double at; int slice; };

static struct nvmlDevice_st cards[64];
static struct nvmlDevice_st slices[2] = {{0, 1}, {0, 2}};
static int powerCalls, lostCalls, xidTold, inits;

static int setting(const char *name, int otherwise) {
	const char *v = getenv(name);
	return v && *v ? atoi(v) : otherwise;
}

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static double started;

static nvmlReturn_t start(void) {
	started = now();
	for (int i = 0; i < 64; i++) cards[i].index = i;
	inits++;
	return setting("STUB_INIT", 0);
}

static int lost(nvmlDevice_t d) {
	int back = setting("STUB_BACK_AT", 0);
	if (back && inits >= back) return 0;
	return d->index == setting("STUB_LOST", -1) && lostCalls >= setting("STUB_LOST_AFTER", 0);
}

// READ begins functions that tell what a card does, CARD those that slices lack.
#define READ(d) do { \
	if (lost(d)) return NVML_ERROR_GPU_IS_LOST; \
	if (setting("STUB_NONE", 0)) return NVML_ERROR_NOT_SUPPORTED; \
} while (0)
#define CARD(d) do { READ(d); if ((d)->slice) return NVML_ERROR_NOT_SUPPORTED; } while (0)

static nvmlReturn_t handle(unsigned int i, nvmlDevice_t *d) {
	int refused = setting("STUB_REFUSED", -1);
	if (refused == -2 || refused == (int)i) return NVML_ERROR_NO_PERMISSION;
	*d = &cards[i];
	return lost(*d) ? NVML_ERROR_GPU_IS_LOST : NVML_SUCCESS;
}

static nvmlReturn_t count(unsigned int *n) { *n = setting("STUB_CARDS", 8); return NVML_SUCCESS; }

nvmlReturn_t nvmlSystemGetDriverVersion(char *s, unsigned int n) { snprintf(s, n, "580.95.05"); return NVML_SUCCESS; }
nvmlReturn_t nvmlShutdown(void) { return NVML_SUCCESS; }

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t d, char *s, unsigned int n) {
	snprintf(s, n, d->slice ? "NVIDIA H100 80GB HBM3 MIG 3g.40gb" : "NVIDIA H100 80GB HBM3");
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t d, char *s, unsigned int n) {
	if (lost(d)) return NVML_ERROR_GPU_IS_LOST;
	if (d->slice) snprintf(s, n, "MIG-%d", d->slice);
	else snprintf(s, n, "GPU-%d", d->index);
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t d, nvmlTemperatureSensors_t s, unsigned int *v) {
	CARD(d);
	if (s != NVML_TEMPERATURE_GPU) return NVML_ERROR_INVALID_ARGUMENT;
	*v = 41;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetTemperatureV(nvmlDevice_t d, nvmlTemperature_t *t) {
	CARD(d);
	if (t->version != nvmlTemperature_v1) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
	if (t->sensorType != NVML_TEMPERATURE_GPU) return NVML_ERROR_INVALID_ARGUMENT;
	t->temperature = 41;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t d, nvmlMemory_t *m) {
	READ(d);
	if (setting("STUB_UNIFIED", 0)) return NVML_ERROR_NOT_SUPPORTED;
	*m = (nvmlMemory_t){.total = 85520809984, .used = 1073741824, .free = 84447068160};
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t d, unsigned int *v) {
	if (d->index == setting("STUB_LOST", -1)) lostCalls++;
	CARD(d);
	powerCalls++;
	int hang = setting("STUB_HANG_AFTER", 0);
	while (hang && powerCalls > hang) pause();
	int gone = setting("STUB_GONE_AFTER", 0);
	if (gone && powerCalls > gone) return NVML_ERROR_LIB_RM_VERSION_MISMATCH;
	*v = 123456;
	return NVML_SUCCESS;
}

// A list of processes that begins with our own.
#define PROCESSES(n, p, count) do { \
	unsigned int room = *(n); \
	*(n) = (count); \
	if (room < *(n)) return NVML_ERROR_INSUFFICIENT_SIZE; \
	for (unsigned int i = 0; i < *(n); i++) (p)[i].pid = 4194998 + i, (p)[i].usedGpuMemory = ~0ull; \
	(p)[0].pid = getpid(), (p)[0].usedGpuMemory = 1000; \
} while (0)

#ifdef OLD

nvmlReturn_t nvmlDeviceGetPciInfo(nvmlDevice_t d, nvmlPciInfo_t *p) {
	p->domain = p->device = 0;
	p->bus = 0x10 + d->index;
	p->pciDeviceId = 0x233010DE;
	return NVML_SUCCESS; // it knows no other ids
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t d, unsigned int *n, nvmlProcessInfo_v1_t *p) {
	READ(d);
	PROCESSES(n, p, setting("STUB_PROCESSES", 2));
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlInit(void) { return start(); }
nvmlReturn_t nvmlDeviceGetCount(unsigned int *n) { return count(n); }
nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned int i, nvmlDevice_t *d) { return handle(i, d); }
nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t d, unsigned long long *v) {
	CARD(d);
	*v = 4;
	return NVML_SUCCESS;
}

#else

nvmlReturn_t nvmlInit_v2(void) { return start(); }
nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int *n) { return count(n); }
nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int i, nvmlDevice_t *d) { return handle(i, d); }
nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *v) { *v = 13000; return NVML_SUCCESS; }

// GET defines a getter of one number.
#define GET(name, type, number) \
	nvmlReturn_t name(nvmlDevice_t d, type *v) { CARD(d); *v = number; return NVML_SUCCESS; }
#define GET2(name, type, key, number) \
	nvmlReturn_t name(nvmlDevice_t d, key k, type *v) { CARD(d); *v = number; return NVML_SUCCESS; }
#define SHARE(name, number) nvmlReturn_t name(nvmlDevice_t d, unsigned int *v, unsigned int *us) { \
	CARD(d); *v = number; *us = 1000; return NVML_SUCCESS; }

GET(nvmlDeviceGetNumGpuCores, unsigned int, 16896)
GET(nvmlDeviceGetMemoryBusWidth, unsigned int, 5120)
GET(nvmlDeviceGetEnforcedPowerLimit, unsigned int, 600000)
GET(nvmlDeviceGetPowerManagementDefaultLimit, unsigned int, 700000)
GET(nvmlDeviceGetTotalEnergyConsumption, unsigned long long, 5000000)
GET(nvmlDeviceGetPerformanceState, nvmlPstates_t, NVML_PSTATE_0)
GET(nvmlDeviceGetCurrentClocksEventReasons, unsigned long long, 0x24)
GET(nvmlDeviceGetCurrPcieLinkGeneration, unsigned int, 5)
GET(nvmlDeviceGetCurrPcieLinkWidth, unsigned int, 16)
GET(nvmlDeviceGetMaxPcieLinkGeneration, unsigned int, 5)
GET(nvmlDeviceGetMaxPcieLinkWidth, unsigned int, 16)
GET2(nvmlDeviceGetClockInfo, unsigned int, nvmlClockType_t, k == NVML_CLOCK_MEM ? 2619 : 1755)
GET2(nvmlDeviceGetMaxClockInfo, unsigned int, nvmlClockType_t, k == NVML_CLOCK_MEM ? 2619 : 1980)
GET2(nvmlDeviceGetNvLinkState, nvmlEnableState_t, unsigned int, k < 16 ? NVML_FEATURE_ENABLED : NVML_FEATURE_DISABLED)
GET(nvmlDeviceGetVirtualizationMode, nvmlGpuVirtualizationMode_t,
	setting("STUB_VGPU", 0) ? NVML_GPU_VIRTUALIZATION_MODE_VGPU : NVML_GPU_VIRTUALIZATION_MODE_NONE)

nvmlReturn_t nvmlDeviceGetFanSpeed(nvmlDevice_t d, unsigned int *v) { return NVML_ERROR_NOT_SUPPORTED; }

nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t d, int *major, int *minor) {
	*major = 9, *minor = 0;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t d, nvmlPciInfo_t *p) {
	memset(p, 0, sizeof *p);
	p->bus = 0x10 + d->index;
	p->pciDeviceId = 0x233010DE;
	p->pciSubSystemId = 0x16C110DE;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t d, nvmlUtilization_t *u) {
	CARD(d);
	if (setting("STUB_MIG", 0) && d->index == 0) return NVML_ERROR_NOT_SUPPORTED;
	u->gpu = 97;
	u->memory = 40;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t d, nvmlMemory_v2_t *m) {
	READ(d);
	if (m->version != nvmlMemory_v2) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
	if (setting("STUB_UNIFIED", 0)) return NVML_ERROR_NOT_SUPPORTED;
	m->total = d->slice ? 42520000000ull : 85520809984ull;
	m->reserved = 576716800;
	m->used = 1073741824;
	m->free = m->total - m->reserved - m->used;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetTotalEccErrors(
	nvmlDevice_t d, nvmlMemoryErrorType_t e, nvmlEccCounterType_t c, unsigned long long *v) {
	CARD(d);
	if (e != NVML_MEMORY_ERROR_TYPE_UNCORRECTED || c != NVML_VOLATILE_ECC) return NVML_ERROR_INVALID_ARGUMENT;
	*v = 7;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetRemappedRows(nvmlDevice_t d, unsigned int *corrected, unsigned int *uncorrected,
	unsigned int *pending, unsigned int *failure) {
	CARD(d);
	*corrected = 1, *uncorrected = 2, *pending = 0, *failure = 0;
	return NVML_SUCCESS;
}

SHARE(nvmlDeviceGetEncoderUtilization, 0)
SHARE(nvmlDeviceGetDecoderUtilization, 3)

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t d, unsigned int *n, nvmlProcessInfo_t *p) {
	READ(d);
	PROCESSES(n, p, setting("STUB_PROCESSES", 2));
	return NVML_SUCCESS;
}

// One that computes as well, and one that does not.
nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v3(nvmlDevice_t d, unsigned int *n, nvmlProcessInfo_t *p) {
	READ(d);
	PROCESSES(n, p, 2);
	p[1].pid = 4194997;
	p[1].usedGpuMemory = 500;
	return NVML_SUCCESS;
}

static nvmlReturn_t field(nvmlDevice_t d, nvmlFieldValue_t *f) {
	f->valueType = NVML_VALUE_TYPE_UNSIGNED_INT;
	f->value.ullVal = 0;
	switch (f->fieldId) {
	case NVML_FI_DEV_MEMORY_TEMP: f->value.uiVal = 52; return NVML_SUCCESS;
	case NVML_FI_DEV_PCIE_COUNT_TX_BYTES:
	case NVML_FI_DEV_PCIE_COUNT_RX_BYTES:
		if (!setting("STUB_PCIE", 0)) return NVML_ERROR_NOT_SUPPORTED;
		f->valueType = NVML_VALUE_TYPE_UNSIGNED_LONG_LONG;
		f->value.ullVal = 5000000000 + (now() - started) * 1e9;
		if (f->fieldId == NVML_FI_DEV_PCIE_COUNT_RX_BYTES) f->value.ullVal &= 0xffffffff;
		return NVML_SUCCESS;
	case NVML_FI_DEV_NVLINK_LINK_COUNT:
		if (setting("STUB_UNLINKED", 0)) return NVML_ERROR_NOT_SUPPORTED;
		f->value.uiVal = 18;
		return NVML_SUCCESS;
	case NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX:
	case NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_RX:
		if (f->scopeId != ~0u) return NVML_ERROR_INVALID_ARGUMENT;
		f->valueType = NVML_VALUE_TYPE_UNSIGNED_LONG_LONG;
		f->value.ullVal = now() * 1e6; // KiB
		return NVML_SUCCESS;
	}
	return NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t d, int n, nvmlFieldValue_t *f) {
	CARD(d);
	for (int i = 0; i < n; i++) f[i].nvmlReturn = field(d, &f[i]);
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t d, unsigned int *mode, unsigned int *pending) {
	CARD(d);
	*mode = *pending = setting("STUB_MIG", 0) && d->index == 0;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t d, unsigned int *n) { *n = 7; return NVML_SUCCESS; }

nvmlReturn_t nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t d, unsigned int i, nvmlDevice_t *s) {
	if (i != 0 && i != 3) return NVML_ERROR_NOT_FOUND;
	*s = &slices[i == 3];
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetGpuInstanceId(nvmlDevice_t d, unsigned int *id) { *id = d->slice; return NVML_SUCCESS; }

nvmlReturn_t nvmlGpmQueryDeviceSupport(nvmlDevice_t d, nvmlGpmSupport_t *s) {
	READ(d);
	if (s->version != NVML_GPM_SUPPORT_VERSION) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
	s->isSupportedDevice = 1;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlGpmSampleAlloc(nvmlGpmSample_t *s) { *s = calloc(1, sizeof **s); return NVML_SUCCESS; }
nvmlReturn_t nvmlGpmSampleFree(nvmlGpmSample_t s) { free(s); return NVML_SUCCESS; }

static nvmlReturn_t sample(nvmlDevice_t d, int slice, nvmlGpmSample_t s) {
	READ(d);
	if (setting("STUB_FORBIDDEN", 0)) return NVML_ERROR_NO_PERMISSION;
	s->at = now();
	s->slice = slice;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlGpmSampleGet(nvmlDevice_t d, nvmlGpmSample_t s) { return sample(d, 0, s); }
nvmlReturn_t nvmlGpmMigSampleGet(nvmlDevice_t d, unsigned int gi, nvmlGpmSample_t s) { return sample(d, gi, s); }

nvmlReturn_t nvmlGpmMetricsGet(nvmlGpmMetricsGet_t *g) {
	if (g->version != NVML_GPM_METRICS_GET_VERSION) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
	if (g->sample2->at - g->sample1->at < 0.1) return NVML_ERROR_UNKNOWN;
	for (unsigned int i = 0; i < g->numMetrics; i++) {
		nvmlGpmMetric_t *m = &g->metrics[i];
		int received = m->metricId == NVML_GPM_METRIC_NVLINK_TOTAL_RX_PER_SEC;
		m->nvmlReturn = received ? NVML_ERROR_NOT_SUPPORTED : NVML_SUCCESS;
		m->value = m->metricId + 10 * g->sample2->slice;
	}
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlEventSetCreate(nvmlEventSet_t *s) { *s = malloc(1); return NVML_SUCCESS; }
nvmlReturn_t nvmlEventSetFree(nvmlEventSet_t s) { free(s); return NVML_SUCCESS; }
nvmlReturn_t nvmlDeviceRegisterEvents(nvmlDevice_t d, unsigned long long types, nvmlEventSet_t s) {
	return types == nvmlEventTypeXidCriticalError ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t nvmlEventSetWait_v2(nvmlEventSet_t s, nvmlEventData_t *e, unsigned int ms) {
	if (!setting("STUB_XID", 0) || lostCalls < setting("STUB_XID_AFTER", 0) || xidTold++) return NVML_ERROR_TIMEOUT;
	memset(e, 0, sizeof *e);
	e->device = &cards[0];
	e->eventType = nvmlEventTypeXidCriticalError;
	e->eventData = setting("STUB_XID", 0);
	return NVML_SUCCESS;
}

#endif
#endif
