import { useMemo, useState } from 'preact/hooks'
import { columnNames } from '../template/parts.ts'
import { checkWith } from './check-document.ts'
import { checkFields } from './check-fields.ts'
import type { Draft } from './draft.ts'
import { fieldOf, type Problem } from './problem.ts'
import type { Schema } from './schema.ts'

/**
 * Returns the problems of the fields that the user has left, and the problems that the service reported for other
 * fields.
 */
export function useProblems(draft: Draft, schema: Schema | undefined, refused: Problem[]) {
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const check = useMemo(() => schema && checkWith(schema), [schema])
  const { data, componentName } = draft
  const ofDocument = useMemo(() => check?.(data, componentName) ?? [], [check, data, componentName])
  const isTouched = (field: string) => touched.has(field) || (field.startsWith('/') && touched.has('data'))
  const found = [...checkFields(columnNames, draft), ...ofDocument].filter(problem =>
    isTouched(fieldOf(problem))
  )
  const fields = new Set(found.map(fieldOf))
  return {
    problems: [...found, ...refused.filter(problem => !fields.has(fieldOf(problem)))],
    /** Records that the user has left a field. From then on, its problems are shown. */
    touch: (field: string | undefined) => {
      if (field !== undefined && !touched.has(field)) setTouched(new Set([...touched, field]))
    },
    /** Records that a trait was removed: the traits after it move up. */
    moveUp: (index: number) => setTouched(new Set([...touched].flatMap(field => movedUp(field, index))))
  }
}

/** Returns the field's name after the removal of a trait; none if it belongs to the removed trait. */
function movedUp(field: string, index: number): string[] {
  const [, at, part] = field.match(/^\/attributes\/(\d+)\/(.*)$/) ?? []
  if (at === undefined || Number(at) < index) return [field]
  return Number(at) === index ? [] : [`/attributes/${Number(at) - 1}/${part}`]
}
