package api

import (
	"net/http"

	"tianti/catalog"
)

// Managed lists the operations for administrators and their programs. They need a
// token of the scope import, or the session of an administrator, and their answers
// are never kept.
func Managed() []Operation {
	return []Operation{createImport, listImports, getImport, listLeftOut, downloadLeftOut, getImportFile, applyImport, discardImport,
		listDatasets, getDataset, revertDataset, activateRevision, rankDataset, getRevisionFile, getLog, downloadLog}
}

// managedErrors are those of every operation of [Managed].
var managedErrors = []int{400, 401, 403}

func managedOp(id, method, path string, answer any, summary, description catalog.Text, errs []int, params ...Param) Operation {
	return Operation{ID: id, Method: method, Path: path, Answer: answer, Summary: summary, Description: description, Errors: append(managedErrors[:len(managedErrors):len(managedErrors)], errs...), Params: params, Managed: true}
}

// Parameters that several operations have.
var (
	importID   = Param{Name: "id", In: "path", Type: "integer", Required: true, Description: catalog.Text{En: "number of the draft or revision", Zh: "草稿或修订版的编号"}}
	datasetID  = Param{Name: "dataset", In: "path", Type: "string", Required: true, Description: catalog.Text{En: "id of the dataset", Zh: "数据集的 id"}}
	fromParam  = Param{Name: "from", Type: "integer", Default: "0", Description: catalog.Text{En: "how many of the list to leave out", Zh: "跳过列表中的前几项"}}
	pageLimit  = Param{Name: "limit", Type: "integer", Default: "100", Description: catalog.Text{En: "1 to 1000", Zh: "1 至 1000"}}
	noteParam  = Param{Name: "note", Type: "string", Description: catalog.Text{En: "note for the list of revisions", Zh: "写入修订记录的备注"}}
	leftReason = Param{Name: "reason", Type: "string", Enum: []string{"not-accelerator", "no-price", "no-value", "bad-value", "ambiguous", "unknown", "chosen", "duplicate", "invalid"}, Description: catalog.Text{En: "only rows left out for it", Zh: "仅列出因此跳过的行"}}
	logQuery   = Param{Name: "q", Type: "string", Description: catalog.Text{En: "text in who, what, about what or the details", Zh: "操作者、操作、对象或详情中须包含的文字"}}
	logAction  = Param{Name: "action", Type: "string", Description: catalog.Text{En: "how the action begins, such as import", Zh: "操作名称的开头，如 import"}}
)

func optional(name, en, zh string) Param {
	return Param{Name: name, Type: "string", Description: catalog.Text{En: en, Zh: zh}}
}

var createImport = Operation{
	ID: "create-import", Method: http.MethodPost, Path: "/api/v1/imports", Answer: Import{}, Managed: true, Upload: true, Created: true,
	Summary: catalog.Text{En: "Hand in a file", Zh: "提交文件"},
	Description: catalog.Text{
		En: "The body is the file, gzip or zip if you like. The answer is a preview, which changes nothing until it is applied; with dry_run=false it is applied at once when there are no problems (409 and the problems when there are; the draft stays). A file that would change nothing is answered with 200. What is not given is as it was at the last import into the dataset, or as is usual for the format.",
		Zh: "请求体即文件，可为 gzip 或 zip。返回预览，应用之前不会有任何改动；dry_run=false 时若无问题则立即应用（有问题时返回 409 并列出问题，草稿保留）。不会带来变化的文件返回 200。未给出的选项沿用该数据集上次导入时的选择，或取该格式的常用值。"},
	Errors: append(managedErrors[:len(managedErrors):len(managedErrors)], 409, 413, 422),
	Params: []Param{
		{Name: "dry_run", Type: "boolean", Default: "true", Description: catalog.Text{En: "false applies it at once", Zh: "设为 false 时立即应用"}},
		optional("file", "name of the file", "文件名"),
		optional("dataset", "id of the dataset", "数据集的 id"), optional("format", "id of the format; found by what stands in the file unless given", "格式的 id；缺省时按内容识别"),
		{Name: "mode", Type: "string", Enum: []string{"add", "replace"}, Description: catalog.Text{En: "add to what the dataset holds, or replace it", Zh: "加入数据集已有内容，或将其替换"}},
		{Name: "unknown", Type: "string", Enum: []string{"leave", "create"}, Description: catalog.Text{En: "what to do with cards that no name fits", Zh: "如何处理名称无法对应的卡"}},
		{Name: "rank", Type: "integer", Description: catalog.Text{En: "of the dataset, -1000 to 1000", Zh: "数据集的优先级，-1000 至 1000"}},
		optional("title_en", "English title of a new dataset", "新数据集的英文标题"), optional("title_zh", "Chinese title of a new dataset", "新数据集的中文标题"),
		{Name: "without", Type: "string", Many: true, Description: catalog.Text{En: "part that is not taken: cards, figures, names, rates, annotations, price:spot and the like", Zh: "不导入的部分：cards、figures、names、rates、annotations、price:spot 等"}},
		{Name: "name", Type: "string", Many: true, Description: catalog.Text{En: "NAME=CARD: what a name of the file means; nothing after = leaves it out", Zh: "NAME=CARD：文件中的名称指哪张卡；= 后留空则不导入"}},
		{Name: "column", Type: "string", Many: true, Description: catalog.Text{En: "COLUMN=FIELD: what a column of a table holds", Zh: "COLUMN=FIELD：表格中某列的含义"}},
		optional("date", "of prices that bear none", "未注明日期的价格所用的日期"), optional("currency", "of amounts that bear none", "未注明币种的金额所用的币种"),
		{Name: "kind", Type: "string", Enum: append(kindNames(catalog.BuyKinds), kindNames(catalog.RentKinds)...), Description: catalog.Text{En: "kind of the prices of a table", Zh: "表格中价格的种类"}},
		optional("seller", "of prices that name none", "未注明报价方的价格所用的报价方"), optional("source_url", "where the file is from", "文件的来源地址"), optional("source_title", "title of the source", "来源的标题"),
		{Name: "day_order", Type: "string", Enum: []string{"dmy", "mdy"}, Description: catalog.Text{En: "what 03/04/2024 means", Zh: "03/04/2024 的含义"}},
		optional("decimal", ". or ,", "小数点：. 或 ,"), noteParam,
	},
}

var (
	listImports = managedOp("list-imports", http.MethodGet, "/api/v1/imports", DraftList{}, catalog.Text{En: "Previews that wait", Zh: "待处理的预览"},
		catalog.Text{En: "Drafts that are neither applied nor discarded.", Zh: "既未应用也未放弃的草稿。"}, nil)
	getImport = managedOp("get-import", http.MethodGet, "/api/v1/imports/{id}", Import{}, catalog.Text{En: "What an import would change", Zh: "导入会改变什么"},
		catalog.Text{En: "Cards added, changed and removed, each figure old and new with its source, what the catalogue shows instead of what, and conflicts with other datasets. Of an applied revision: what it has changed.", Zh: "新增、变化与移除的卡，每个数值的新旧值与来源，目录显示值的变化，以及与其他数据集不一致之处。对已应用的修订版，则为其实际带来的改动。"}, []int{404},
		importID, fromParam, pageLimit)
	listLeftOut = managedOp("list-left-out", http.MethodGet, "/api/v1/imports/{id}/left-out", LeftOut{}, catalog.Text{En: "Rows that are left out", Zh: "跳过的行"},
		catalog.Text{En: "Each with its line and the reason.", Zh: "逐行给出行号与原因。"}, []int{404}, importID, leftReason, fromParam, pageLimit)
	downloadLeftOut = managedOp("download-left-out", http.MethodGet, "/api/v1/imports/{id}/left-out.csv", nil, catalog.Text{En: "Rows that are left out, as a table", Zh: "跳过的行（表格）"},
		catalog.Text{En: "All of them, as CSV.", Zh: "全部行，CSV 格式。"}, []int{404}, importID, leftReason)
	getImportFile = managedOp("get-import-file", http.MethodGet, "/api/v1/imports/{id}/file", nil, catalog.Text{En: "The file of a draft", Zh: "草稿的原文件"},
		catalog.Text{En: "As it was handed in.", Zh: "与提交时完全一致。"}, []int{404}, importID)
	applyImport = managedOp("apply-import", http.MethodPost, "/api/v1/imports/{id}/apply", Revision{}, catalog.Text{En: "Apply a draft", Zh: "应用草稿"},
		catalog.Text{En: "In one transaction. 409 when it has problems, would change nothing, or the dataset has changed since.", Zh: "在一个事务中完成。有问题、不会带来变化或数据集已变动时返回 409。"}, []int{404, 409}, importID, noteParam)
	discardImport = managedOp("discard-import", http.MethodDelete, "/api/v1/imports/{id}", nil, catalog.Text{En: "Discard a draft", Zh: "放弃草稿"},
		catalog.Text{En: "Applied revisions are never deleted: 404.", Zh: "已应用的修订版不可删除，返回 404。"}, []int{404}, importID)
	listDatasets = managedOp("list-datasets", http.MethodGet, "/api/v1/datasets", DatasetList{}, catalog.Text{En: "Datasets", Zh: "数据集"},
		catalog.Text{En: "With their ranks and active revisions.", Zh: "及其优先级与启用的修订版。"}, nil)
	getDataset = managedOp("get-dataset", http.MethodGet, "/api/v1/datasets/{dataset}", DatasetDetail{}, catalog.Text{En: "A dataset with its revisions", Zh: "数据集及其修订版"},
		catalog.Text{En: "Who imported what, when, from which file.", Zh: "谁在何时从哪个文件导入了什么。"}, []int{404}, datasetID)
	revertDataset = managedOp("revert-dataset", http.MethodPost, "/api/v1/datasets/{dataset}/revert", DatasetDetail{}, catalog.Text{En: "Take the last import back", Zh: "撤销上次导入"},
		catalog.Text{En: "Makes the revision active that was so before the active one was imported; none when none was. 409 when none is active.", Zh: "回到当前启用的修订版导入之前所启用的修订版；此前没有则停用该数据集。当前没有启用的修订版时返回 409。"}, []int{404, 409}, datasetID,
		Param{Name: "to", Type: "integer", Description: catalog.Text{En: "another revision to go to", Zh: "改为回到指定修订版"}})
	activateRevision = managedOp("activate-revision", http.MethodPost, "/api/v1/datasets/{dataset}/activate", DatasetDetail{}, catalog.Text{En: "Show another revision", Zh: "启用另一修订版"},
		catalog.Text{En: "0 takes the dataset out of the catalogue.", Zh: "0 表示停用该数据集。"}, []int{404}, datasetID,
		Param{Name: "revision", Type: "integer", Required: true, Description: catalog.Text{En: "number of the revision, or 0", Zh: "修订版编号，或 0"}})
	rankDataset = managedOp("rank-dataset", http.MethodPost, "/api/v1/datasets/{dataset}/rank", DatasetDetail{}, catalog.Text{En: "Rank a dataset", Zh: "设置数据集优先级"},
		catalog.Text{En: "Of several values of a figure the highest rank's is shown.", Zh: "同一指标有多个取值时，显示优先级最高的数据集的值。"}, []int{404}, datasetID,
		Param{Name: "rank", Type: "integer", Required: true, Description: catalog.Text{En: "-1000 to 1000; the built-in data have 100", Zh: "-1000 至 1000；内置数据为 100"}})
	getRevisionFile = managedOp("get-revision-file", http.MethodGet, "/api/v1/datasets/{dataset}/revisions/{revision}/file", nil, catalog.Text{En: "The file of a revision", Zh: "修订版的原文件"},
		catalog.Text{En: "As it was handed in.", Zh: "与提交时完全一致。"}, []int{404}, datasetID,
		Param{Name: "revision", In: "path", Type: "integer", Required: true, Description: catalog.Text{En: "number of the revision", Zh: "修订版编号"}})
	getLog = managedOp("get-log", http.MethodGet, "/api/v1/log", ChangeLog{}, catalog.Text{En: "The record of changes", Zh: "变更记录"},
		catalog.Text{En: "Who changed what, the newest first.", Zh: "谁改变了什么，最新的在前。"}, nil, logQuery, logAction, fromParam, pageLimit)
	downloadLog = managedOp("download-log", http.MethodGet, "/api/v1/log.csv", nil, catalog.Text{En: "The record of changes, as a table", Zh: "变更记录（表格）"},
		catalog.Text{En: "All of it, as CSV.", Zh: "全部记录，CSV 格式。"}, nil, logQuery, logAction)
)
