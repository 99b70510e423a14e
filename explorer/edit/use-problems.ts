import { useMemo, useState } from 'preact/hooks'
import { checkColumns } from './check-columns.ts'
import { checkWith } from './check-document.ts'
import type { Draft } from './draft.ts'
import { fieldOf, type Problem } from './problem.ts'
import type { Schema } from './schema.ts'

interface Shown {
  problems: Problem[]
  /** The user has been in a field: from now on, it says what is wrong with it. */
  touch: (field: string | undefined) => void
  /** A trait was removed: those after it move up. */
  moveUp: (index: number) => void
}

/** What is wrong with the fields that the user has been in, and what the service said of the others when it refused them. */
export function useProblems(draft: Draft, schema: Schema | undefined, refused: Problem[]): Shown {
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const check = useMemo(() => schema && checkWith(schema), [schema])
  const { data, componentName } = draft
  const ofDocument = useMemo(() => check?.(data, componentName) ?? [], [check, data, componentName])
  const isTouched = (field: string) => touched.has(field) || (field.startsWith('/') && touched.has('data'))
  const found = [...checkColumns(draft), ...ofDocument].filter(problem => isTouched(fieldOf(problem)))
  const fields = new Set(found.map(fieldOf))
  return {
    problems: [...found, ...refused.filter(problem => !fields.has(fieldOf(problem)))],
    touch: field => {
      if (field !== undefined && !touched.has(field)) setTouched(new Set([...touched, field]))
    },
    moveUp: index => setTouched(new Set([...touched].flatMap(field => movedUp(field, index))))
  }
}

/** The field after the trait at an index is gone; none if it belongs to that trait. */
function movedUp(field: string, index: number): string[] {
  const [, at, part] = field.match(/^\/attributes\/(\d+)\/(.*)$/) ?? []
  if (at === undefined || Number(at) < index) return [field]
  return Number(at) === index ? [] : [`/attributes/${Number(at) - 1}/${part}`]
}
