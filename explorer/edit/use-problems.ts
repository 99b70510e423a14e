import { useMemo, useState } from 'preact/hooks'
import { metaContent } from '../meta.ts'
import { checkColumns } from './check-columns.ts'
import { checkWith } from './check-document.ts'
import type { Draft } from './draft.ts'
import { fieldOf, type Problem } from './problem.ts'
import type { Schema } from './schema.ts'

/** Whether the service refuses a document that does not match the schema, and does not only warn. */
const isEnforced = metaContent('validation') === 'enforce'

/**
 * Returns the problems of the fields that the user has left, and the problems that the service reported for other
 * fields.
 */
export function useProblems(draft: Draft, schema: Schema | undefined, refused: Problem[]) {
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const check = useMemo(() => schema && checkWith(schema), [schema])
  const { data, componentName } = draft
  const ofDocument = useMemo(() => check?.(data, componentName) ?? [], [check, data, componentName])
  /** Whether the user has tried to save, so that the problems of all fields are shown. */
  const [hasTried, setTried] = useState(false)
  const isTouched = (field: string) =>
    hasTried || touched.has(field) || (field.startsWith('/') && touched.has('data'))
  const ofColumns = checkColumns(draft)
  const found = [...ofColumns, ...ofDocument].filter(problem => isTouched(fieldOf(problem)))
  const fields = new Set(found.map(fieldOf))
  return {
    problems: [...found, ...refused.filter(problem => !fields.has(fieldOf(problem)))],
    /** Records that the user has left a field. From then on, its problems are shown. */
    touch: (field: string | undefined) => {
      if (field !== undefined && !touched.has(field)) setTouched(new Set([...touched, field]))
    },
    /** Shows the problems of all fields. Returns whether the service would refuse the draft. */
    showAll: (): boolean => {
      setTried(true)
      return ofColumns.length > 0 || (isEnforced && hasNewDocument(draft) && ofDocument.length > 0)
    },
    /** Records that a trait was removed: the traits after it move up. */
    moveUp: (index: number) => setTouched(new Set([...touched].flatMap(field => movedUp(field, index))))
  }
}

/** Whether the service checks the document: one that stays as it is may be older than the schema. */
const hasNewDocument = ({ base, data, componentName }: Draft): boolean =>
  base?.data !== data || base.componentName !== componentName

/** Returns the field's name after the removal of a trait; none if it belongs to the removed trait. */
function movedUp(field: string, index: number): string[] {
  const [, at, part] = field.match(/^\/attributes\/(\d+)\/(.*)$/) ?? []
  if (at === undefined || Number(at) < index) return [field]
  return Number(at) === index ? [] : [`/attributes/${Number(at) - 1}/${part}`]
}
