package admin

import (
	"tianti/web/api"
	"tianti/web/site"
)

// Operations are those of the API that take files in and tell of what was taken. Without imports they answer 403.
func (h *Handler) Operations() []site.Operation {
	var out []site.Operation
	for _, o := range []struct {
		api.Operation
		answer managedHandler
	}{
		{createImportOp, h.createImport},
		{listImportsOp, h.listImports},
		{getImportOp, h.getImport},
		{listLeftOutOp, h.listSkipped},
		{downloadLeftOutOp, h.downloadSkipped},
		{getImportFileOp, h.importFile},
		{applyImportOp, h.applyImport},
		{discardImportOp, h.discardImport},
		{listDatasetsOp, h.listDatasets},
		{getDatasetOp, h.getDataset},
		{revertDatasetOp, h.revertDataset},
		{activateRevisionOp, h.activateRevision},
		{rankDatasetOp, h.rankDataset},
		{getRevisionFileOp, h.revisionFile},
		{getLogOp, h.getLog},
		{downloadLogOp, h.downloadLog},
	} {
		out = append(out, site.Operation{Operation: o.Operation, Serve: h.managed(o.Operation, o.answer)})
	}
	return out
}
