/** Shows the structure of a new store: the tables, indexes, triggers and functions that all migrations together make. */
import { sql } from 'kysely'
import { openDatabase } from '../db/connect.ts'
import { engineOf } from '../db/dialects/engine.ts'
import type { Db } from '../db/schema.ts'
import { startPostgres } from '../test/support/postgres/postgres.ts'

const header = `-- The structure of a new store. No program reads this file: \`npm run docs\` writes it from what the migrations make.
-- A table is followed by its indexes and its triggers.
`

/** Characters of a line, unless it cannot be broken. */
const maxLength = 110

/** Without the tables that FTS5 has below its own. */
const onSqlite = sql<{ definition: string }>`
  select sql as definition from sqlite_schema
  where sql is not null and name not like 'sqlite%'
    and tbl_name not in (select name from pragma_table_list where type = 'shadow')
  order by tbl_name, case type when 'table' then 0 when 'index' then 1 else 2 end, name`

/** With the sequences before the tables, and the functions after them. The server has no function that shows a table. */
const onPostgres = sql<{ definition: string }>`
  with store as (
    select oid as relation, relname, relkind, reloptions from pg_class where relnamespace = current_schema()::regnamespace
  ), item (relname, kind, name, definition) as (
    select '', 0, relname, 'CREATE SEQUENCE ' || relname from store
    where relkind = 'S' and not exists (select from pg_depend where objid = relation and deptype = 'i')
    union all
    select relname, 1, relname, format('CREATE TABLE %s (%s)%s', relname, (
      select string_agg(part, ', ' order by place, part_name) from (
        select attnum as place, attname as part_name, concat_ws(' ', attname, format_type(atttypid, atttypmod),
          'COLLATE ' || (select quote_ident(collname) from pg_collation where oid = attcollation and collname <> 'default'),
          case when attidentity <> '' then 'GENERATED ALWAYS AS IDENTITY' end,
          'DEFAULT ' || (select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = attrelid and adnum = attnum),
          case when attnotnull then 'NOT NULL' end) as part
        from pg_attribute where attrelid = relation and attnum > 0 and not attisdropped
        union all
        select 10000, conname, pg_get_constraintdef(oid, true) from pg_constraint where conrelid = relation and contype <> 'n'
      ) as parts
    ), ' WITH (' || array_to_string(reloptions, ', ') || ')') from store where relkind = 'r'
    union all
    select relname, 2, indexrelid::regclass::text, pg_get_indexdef(indexrelid, 0, true) from pg_index join store on relation = indrelid
    where not exists (select from pg_constraint where conindid = indexrelid and conrelid = relation)
    union all
    select relname, 3, tgname, pg_get_triggerdef(pg_trigger.oid, true) || case tgenabled when 'A'
      then format(E';\nALTER TABLE %s ENABLE ALWAYS TRIGGER %s', relname, tgname) else '' end
    from pg_trigger join store on relation = tgrelid where not tgisinternal
    union all
    select '~', 4, proname, pg_get_functiondef(oid)
    from pg_proc where pronamespace = current_schema()::regnamespace and prorettype = 'trigger'::regtype
  )
  select definition from item order by relname collate "C", kind, name collate "C"`

/** Returns the statements that would create a store. */
export async function formatStructure(db: Db): Promise<string> {
  const { rows } = await (engineOf(db).name === 'sqlite' ? onSqlite : onPostgres).execute(db)
  return [header, ...rows.map(({ definition }) => `${layOut(definition.trim())};\n`)].join('\n')
}

/** Breaks a definition into lines, however the migration has done it. */
function layOut(definition: string): string {
  const text = definition.replace(/\s+/g, ' ').replace(/(?<=\() | (?=\))/g, '')
  const [, head, columns, end] =
    /^(CREATE TABLE [^(]*\()(.*?)(\)(?: WITH \(.*| without rowid)?)$/.exec(text) ?? []
  if (columns === undefined) return layOutStatements(text)
  // At the commas that are not in parentheses.
  const lines = columns.split(/,(?![^(]*\))/).map(column => `  ${column.trim()}`)
  return `${head}\n${lines.join(',\n')}\n${end}`
}

/** Puts each statement on a line of its own, indented as its block is. */
function layOutStatements(text: string): string {
  let indent = ''
  const lines: string[] = []
  for (const line of text.split(/(?<=;) | (?=begin )|(?<= begin|^begin) /).flatMap(splitBranch)) {
    if (/^(end|elsif|else)\b/.test(line)) indent = indent.slice(2)
    lines.push(wrap(line, indent))
    if (/\b(begin|then|else)$/.test(line)) indent += '  '
  }
  return lines.join('\n')
}

/** Splits `if … then` and `else` from the statement after it. */
function splitBranch(text: string): string[] {
  const [, branch, rest] = /^((?:if|elsif) .*? then|else) (.*)$/.exec(text) ?? []
  return branch && rest ? [branch, ...splitBranch(rest)] : [text]
}

const parenthesisOrClause =
  /[()]|(?<!case|distinct) (?=(?:referencing|for each|insert into|select|from|where|when|order by|on conflict|union|set) )/gi

/** Breaks a statement that is too long before its clauses, and these before the clauses of their queries. */
function wrap(text: string, indent: string, depth = 0): string {
  if (indent.length + text.length <= maxLength || depth > 1) return indent + text
  let open = 0
  const broken = text.replace(parenthesisOrClause, found => {
    if (found === '(') open++
    if (found === ')') open--
    return found === ' ' && open === depth ? '\n' : found
  })
  const parts = broken.split('\n')
  return parts.map((part, index) => wrap(part, index > 0 ? `${indent}  ` : indent, depth + 1)).join('\n')
}

/** Generates the file of each engine. Starts a server of PostgreSQL, which takes a few seconds. */
export async function generateStructures(): Promise<Record<string, string>> {
  const server = await startPostgres({ fsync: 'off' })
  const generate = async (url: string) => {
    const db = await openDatabase(url)
    return { [structureFile(db)]: await formatStructure(db).finally(() => db.destroy()) }
  }
  try {
    return { ...(await generate('sqlite::memory:')), ...(await generate(server.url)) }
  } finally {
    await server.stop()
  }
}

export const structureFile = (db: Db): string => `db/structure/${engineOf(db).name}.sql`
