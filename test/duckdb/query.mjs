// Prints the rows of a query, an object of JSON a line.
import { DuckDBInstance } from '@duckdb/node-api'

const connection = await (await DuckDBInstance.create(':memory:')).connect()
const reader = await connection.runAndReadAll(process.argv[2])
for (const row of reader.getRowObjectsJson()) {
  console.log(JSON.stringify(row))
}
