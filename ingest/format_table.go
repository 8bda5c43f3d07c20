package ingest

// genericTable reads any table whose columns somebody says the meaning of.
var genericTable = &Format{ID: "table", Detect: func(h Head) bool { return len(h.Columns) > 1 }}
