package admin

import (
	"net/http"

	"tianti/catalog"
	"tianti/web/api"
	"tianti/web/api/imports"
)

// managedErrors are those of every operation for administrators and their programs. They need a token of the scope
// import, or the session of an administrator; their answers are private, no-store.
var managedErrors = []int{400, 401, 403}

func managedOp(
	id, method, path string, answer any, summary, description catalog.Text, errs []int, params ...api.Param,
) api.Operation {
	return api.Operation{ID: id, Method: method, Path: path, Answer: answer, Summary: summary, Description: description,
		Errors: append(managedErrors[:len(managedErrors):len(managedErrors)], errs...), Params: params, Managed: true}
}

// Parameters that several operations have.
var (
	importID = api.Param{Name: "id", In: "path", Type: "integer", Required: true,
		Description: bilingual("number of the draft or revision", "草稿或修订版的编号")}
	datasetID = api.Param{Name: "dataset", In: "path", Type: "string", Required: true,
		Description: bilingual("id of the dataset", "数据集的 id")}
	fromParam = api.Param{Name: "from", Type: "integer", Default: "0",
		Description: bilingual("how many of the list to leave out", "跳过列表中的前几项")}
	pageLimit = api.Param{Name: "limit", Type: "integer", Default: "100",
		Description: bilingual("1 to 1000", "1 至 1000")}
	noteParam = api.Param{Name: "note", Type: "string", Description: bilingual("note for the list of revisions",
		"写入修订记录的备注")}
	leftReason = api.Param{Name: "reason", Type: "string", Enum: []string{"not-accelerator", "no-price", "no-value",
		"bad-value", "ambiguous", "unknown", "chosen", "duplicate", "invalid", "part", "placeholder"},
		Description: bilingual("only rows left out for it", "仅列出因此跳过的行")}
	logTextParam = api.Param{Name: "q", Type: "string",
		Description: bilingual("text in who, what, about what or the details", "操作者、操作、对象或详情中须包含的文字")}
	logActionParam = api.Param{Name: "action", Type: "string",
		Description: bilingual("how the action begins, such as import", "操作名称的开头，如 import")}
)

func bilingual(en, zh string) catalog.Text { return catalog.Text{En: en, Zh: zh} }

func optional(name, en, zh string) api.Param {
	return api.Param{Name: name, Type: "string", Description: bilingual(en, zh)}
}

var createImportOp = api.Operation{
	ID: "create-import", Method: http.MethodPost, Path: "/api/v1/imports", Answer: imports.Import{}, Managed: true,
	Upload: true, Created: true,
	Summary: bilingual("Hand in a file", "提交文件"),
	Description: catalog.Text{
		En: "The body is the file, gzip or zip if you like. The answer is a preview, which changes nothing until it " +
			"is applied; with dry_run=false it is applied at once when there are no problems (409 and the problems " +
			"when there are; the draft stays). A file that would change nothing is answered with 200. What is not " +
			"given is as it was at the last import into the dataset, or as is usual for the format.",
		Zh: "请求体即文件，可为 gzip 或 zip。返回预览，应用之前不会有任何改动；dry_run=false 时若无问题则立即应用（有问题时返回 409 并列出问题，草稿保留）。不会带来变化的文件返回 200。" +
			"未给出的选项沿用该数据集上次导入时的选择，或取该格式的常用值。"},
	Errors: append(managedErrors[:len(managedErrors):len(managedErrors)], 409, 413, 422),
	Params: []api.Param{
		{Name: "dry_run", Type: "boolean", Default: "true", Description: bilingual("false applies it at once",
			"设为 false 时立即应用")},
		optional("file", "name of the file", "文件名"),
		optional("dataset", "id of the dataset", "数据集的 id"),
		optional("format", "id of the format; found by what stands in the file unless given", "格式的 id；缺省时按内容识别"),
		{Name: "mode", Type: "string", Enum: []string{"add", "replace"},
			Description: bilingual("add to what the dataset holds, or replace it", "加入数据集已有内容，或将其替换")},
		{Name: "unknown", Type: "string", Enum: []string{"leave", "create"},
			Description: bilingual("what to do with cards that no name fits", "如何处理名称无法对应的卡")},
		{Name: "rank", Type: "integer", Description: bilingual("of the dataset, -1000 to 1000",
			"数据集的优先级，-1000 至 1000")},
		optional("title_en", "English title of a new dataset", "新数据集的英文标题"),
		optional("title_zh", "Chinese title of a new dataset", "新数据集的中文标题"),
		{Name: "without", Type: "string", Many: true, Description: bilingual("part that is not taken: cards, "+
			"figures, names, rates, annotations, price:spot and the like",
			"不导入的部分：cards、figures、names、rates、annotations、price:spot 等")},
		{Name: "name", Type: "string", Many: true, Description: bilingual(
			"NAME=CARD: what a name of the file means, or one of its instances; "+
				"nothing after = leaves it out", "NAME=CARD：文件中的名称或实例指哪张卡；= 后留空则不导入")},
		{Name: "column", Type: "string", Many: true,
			Description: bilingual("COLUMN=FIELD: what a column of a table holds", "COLUMN=FIELD：表格中某列的含义")},
		optional("date", "of prices that bear none", "未注明日期的价格所用的日期"), optional("currency", "of amounts that bear none",
			"未注明币种的金额所用的币种"),
		{Name: "kind", Type: "string", Enum: append(api.KindNames(catalog.BuyKinds),
			api.KindNames(catalog.ByHour())...), Description: bilingual("kind of the prices of a table", "表格中价格的种类")},
		optional("seller", "of prices that name none", "未注明报价方的价格所用的报价方"),
		optional("source_url", "where the file is from", "文件的来源地址"), optional("source_title", "title of the source",
			"来源的标题"),
		{Name: "day_order", Type: "string", Enum: []string{"dmy", "mdy"},
			Description: bilingual("what 03/04/2024 means", "03/04/2024 的含义")},
		optional("decimal", ". or ,", "小数点：. 或 ,"),
		optional("part", "which table or file, of a file that holds several", "文件含多个表格或文件时，导入哪一个"), noteParam,
	},
}

var (
	listImportsOp = managedOp("list-imports", http.MethodGet, "/api/v1/imports", imports.DraftList{},
		bilingual("Previews that wait", "待处理的预览"),
		bilingual("Drafts that are neither applied nor discarded.", "既未应用也未放弃的草稿。"), nil)
	getImportOp = managedOp("get-import", http.MethodGet, "/api/v1/imports/{id}", imports.Import{},
		bilingual("What an import would change", "导入会改变什么"),
		bilingual("Cards added, changed and removed, each figure old and new with its source, what the catalogue "+
			"shows instead of what, and conflicts with other datasets. Of an applied revision: what it has changed.",
			"新增、变化与移除的卡，每个数值的新旧值与来源，目录显示值的变化，以及与其他数据集不一致之处。对已应用的修订版，则为其实际带来的改动。"), []int{404},
		importID, fromParam, pageLimit)
	listLeftOutOp = managedOp("list-left-out", http.MethodGet, "/api/v1/imports/{id}/left-out", imports.LeftOut{},
		bilingual("Rows that are left out", "跳过的行"),
		bilingual("Each with its line and the reason.", "逐行给出行号与原因。"), []int{404}, importID, leftReason, fromParam,
		pageLimit)
	downloadLeftOutOp = managedOp("download-left-out", http.MethodGet, "/api/v1/imports/{id}/left-out.csv", nil,
		bilingual("Rows that are left out, as a table", "跳过的行（表格）"),
		bilingual("All of them, as CSV.", "全部行，CSV 格式。"), []int{404}, importID, leftReason)
	getImportFileOp = managedOp("get-import-file", http.MethodGet, "/api/v1/imports/{id}/file", nil,
		bilingual("The file of a draft", "草稿的原文件"),
		bilingual("As it was handed in.", "与提交时完全一致。"), []int{404}, importID)
	applyImportOp = managedOp("apply-import", http.MethodPost, "/api/v1/imports/{id}/apply", imports.Revision{},
		bilingual("Apply a draft", "应用草稿"),
		bilingual("In one transaction. 409 when it has problems, would change nothing, or the dataset has "+
			"changed since.", "在一个事务中完成。有问题、不会带来变化或数据集已变动时返回 409。"), []int{404, 409}, importID, noteParam)
	discardImportOp = managedOp("discard-import", http.MethodDelete, "/api/v1/imports/{id}", nil,
		bilingual("Discard a draft", "放弃草稿"),
		bilingual("Applied revisions are never deleted: 404.", "已应用的修订版不可删除，返回 404。"), []int{404}, importID)
	listDatasetsOp = managedOp("list-datasets", http.MethodGet, "/api/v1/datasets", imports.DatasetList{},
		bilingual("Datasets", "数据集"),
		bilingual("With their ranks and active revisions.", "及其优先级与启用的修订版。"), nil)
	getDatasetOp = managedOp("get-dataset", http.MethodGet, "/api/v1/datasets/{dataset}", imports.DatasetDetail{},
		bilingual("A dataset with its revisions", "数据集及其修订版"),
		bilingual("Who imported what, when, from which file.", "谁在何时从哪个文件导入了什么。"), []int{404}, datasetID)
	revertDatasetOp = managedOp("revert-dataset", http.MethodPost, "/api/v1/datasets/{dataset}/revert",
		imports.DatasetDetail{}, bilingual("Take the last import back", "撤销上次导入"),
		bilingual("Makes the revision active that was so before the active one was imported; none when none was. 409 "+
			"when none is active.", "回到当前启用的修订版导入之前所启用的修订版；此前没有则停用该数据集。当前没有启用的修订版时返回 409。"), []int{404, 409}, datasetID,
		api.Param{Name: "to", Type: "integer", Description: bilingual("another revision to go to", "改为回到指定修订版")})
	activateRevisionOp = managedOp("activate-revision", http.MethodPost, "/api/v1/datasets/{dataset}/activate",
		imports.DatasetDetail{}, bilingual("Show another revision", "启用另一修订版"),
		bilingual("0 takes the dataset out of the catalogue.", "0 表示停用该数据集。"), []int{404}, datasetID,
		api.Param{Name: "revision", Type: "integer", Required: true,
			Description: bilingual("number of the revision, or 0", "修订版编号，或 0")})
	rankDatasetOp = managedOp("rank-dataset", http.MethodPost, "/api/v1/datasets/{dataset}/rank",
		imports.DatasetDetail{},
		bilingual("Rank a dataset", "设置数据集优先级"),
		bilingual("Of several values of a figure the highest rank's is shown.", "同一指标有多个取值时，显示优先级最高的数据集的值。"),
		[]int{404}, datasetID,
		api.Param{Name: "rank", Type: "integer", Required: true,
			Description: bilingual("-1000 to 1000; the built-in data have 100", "-1000 至 1000；内置数据为 100")})
	getRevisionFileOp = managedOp("get-revision-file", http.MethodGet,
		"/api/v1/datasets/{dataset}/revisions/{revision}/file", nil, bilingual("The file of a revision", "修订版的原文件"),
		bilingual("As it was handed in.", "与提交时完全一致。"), []int{404}, datasetID,
		api.Param{Name: "revision", In: "path", Type: "integer", Required: true,
			Description: bilingual("number of the revision", "修订版编号")})
	getLogOp = managedOp("get-log", http.MethodGet, "/api/v1/log", imports.ChangeLog{},
		bilingual("The record of changes", "变更记录"),
		bilingual("Who changed what, the newest first.", "谁改变了什么，最新的在前。"), nil, logTextParam, logActionParam, fromParam,
		pageLimit)
	downloadLogOp = managedOp("download-log", http.MethodGet, "/api/v1/log.csv", nil,
		bilingual("The record of changes, as a table", "变更记录（表格）"),
		bilingual("All of it, as CSV.", "全部记录，CSV 格式。"), nil, logTextParam, logActionParam)
)
