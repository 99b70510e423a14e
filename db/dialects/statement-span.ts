import { activeSpan, inSpan } from '../../tracing/active.ts'

/** Characters of a statement in a trace. Its parameters are not in it. */
const longestText = 2000

/** Runs a statement in a span, if it is part of a traced request. */
export function inStatementSpan<T>(
  system: 'sqlite' | 'postgresql',
  sql: string,
  run: () => Promise<T>
): Promise<T> {
  if (!activeSpan.getStore()) return run()
  const [, operation = 'statement'] = /^\s*(\w+)/.exec(sql) ?? []
  const [, table] = /\b(?:from|into|update)\s+"?(\w+)/i.exec(sql) ?? []
  const name = [operation.toUpperCase(), table].filter(Boolean).join(' ')
  const attributes = {
    'db.system.name': system,
    'db.operation.name': operation.toUpperCase(),
    'db.query.text': sql.slice(0, longestText),
    ...(table && { 'db.collection.name': table })
  }
  return inSpan(name, attributes, run)
}
