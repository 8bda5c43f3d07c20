package live

import (
	"tianti/catalog"
	"tianti/web/api"
)

var liveHostParam = api.Param{Name: "host", Type: "string", Description: catalog.Text{En: "only this host", Zh: "仅此主机"}}

var getLiveOp = api.Operation{
	ID: "get-live", Path: "/api/v1/live", Answer: api.Live{}, Errors: []int{400},
	Summary: catalog.Text{En: "What the cards here are doing", Zh: "本机或集群中加速卡的实时状态"},
	Description: catalog.Text{
		En: "Readings of the devices of this host or fleet, each against the rated figure. Without a source the " +
			"state is unavailable and the reason not-configured. Activities are bounds, not measurements. This " +
			"answer is not for other sites: it has no Access-Control-Allow-Origin and is never stored.",
		Zh: "本机或集群中各设备的读数，并与标称值对照。未配置数据来源时，state 为 unavailable，reason 为 " +
			"not-configured。忙碌程度换算出的是上限，而非实测值。该接口不对其他网站开放（没有 Access-Control-Allow-Origin），也不会被缓存。"},
	Params: []api.Param{liveHostParam}, Examples: []string{"/api/v1/live"},
}

var streamLiveOp = api.Operation{
	ID: "stream-live", Path: "/api/v1/live/stream", Answer: api.Live{}, Errors: []int{400, 503}, Stream: true,
	Summary: catalog.Text{En: "The same as it changes, as server-sent events", Zh: "以服务器推送事件持续给出变化"},
	Description: catalog.Text{
		En: "Events of the type live. The data of the first is as of /api/v1/live; later ones have only the devices " +
			"that changed. The id is the sequence number. A comment every 15 seconds keeps the connection open. 503 " +
			"without a source, or when too many are watching.",
		Zh: "事件类型为 live。首个事件的数据与 /api/v1/live 相同，之后只含有变化的设备。id 为序号；每 15 秒发送一条注释以保持连接。没有数据来源或观看者过多时返回 503。"},
	Params: []api.Param{liveHostParam}, Examples: []string{"/api/v1/live/stream"},
}
