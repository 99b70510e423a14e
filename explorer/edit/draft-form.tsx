import { useEffect, useRef, useState } from 'preact/hooks'
import { mayPublish } from '../api.ts'
import { focusUnreadable } from '../numbers/number-input.tsx'
import { Loading } from '../parts/loading.tsx'
import { ColumnsForm, fieldColumns } from './columns-form.tsx'
import { Delete } from './delete.tsx'
import { DocumentForm } from './document-form.tsx'
import type { Draft } from './draft.ts'
import { FormFooter } from './form-footer.tsx'
import { fieldOf, type Problem } from './problem.ts'
import { keysOf, readSchema, type Schema } from './schema.ts'
import { TextForm } from './text-form.tsx'
import type { Editing } from './use-editing.ts'
import { useProblems } from './use-problems.ts'

type View = 'form' | 'text'

interface Props {
  id: number | undefined
  draft: Draft
  editing: Editing
}

/** The form: the fields, then the document as form or as text. Both edit the same draft. */
export function DraftForm({ id, draft, editing }: Props) {
  const { problems: refused, failure, isSaving, newest, change, submit, refuse, compare, leave } = editing
  const [schema, setSchema] = useState<Schema>()
  const [view, setView] = useState<View>('form')
  useEffect(() => {
    readSchema().then(setSchema, () => setView('text'))
  }, [])
  const isText = view === 'text'
  const { problems, touch, moveUp } = useProblems(draft, schema, refused)
  const touchTarget = (event: Event) => touch((event.target as HTMLElement).dataset.field)
  const form = useRef<HTMLFormElement>(null)
  const focus = (selector: string) => form.current?.querySelector<HTMLElement>(selector)?.focus()
  useEffect(() => {
    if (isSaving || failure === '') return
    focus(refused.length > 0 ? '[aria-invalid=true]' : '[type=submit]')
  }, [isSaving])
  const isUnreadable = () => form.current !== null && focusUnreadable(form.current)
  useEffect(() => form.current?.querySelector<HTMLElement>('.field')?.focus({ preventScroll: true }), [])
  const isOfDocument = (problem: Problem) => !fieldColumns.some(column => column === fieldOf(problem))
  const elsewhere = problems.filter(
    problem => !isText && schema && isOfDocument(problem) && !hasField(problem, schema)
  )
  return (
    <form
      ref={form}
      noValidate
      // What is typed while it is saved would be lost.
      inert={isSaving}
      onFocusOut={touchTarget}
      onChange={touchTarget}
      onSubmit={event => {
        event.preventDefault()
        if (isUnreadable()) refuse()
        else submit()
      }}
    >
      {newest > (draft.base?.revision ?? newest) && (
        <p class="notice" role="status">
          Somebody saved revision {newest} meanwhile.{' '}
          <button type="button" class="button" onClick={compare}>
            Compare
          </button>
        </p>
      )}
      <ColumnsForm draft={draft} problems={problems} onChange={change} />
      <Views view={view} onView={next => isUnreadable() || setView(next)} />
      {isText ? (
        <TextForm
          data={draft.data}
          problems={problems.filter(isOfDocument)}
          onChange={data => change({ data })}
        />
      ) : !schema ? (
        <Loading />
      ) : (
        <DocumentForm
          draft={draft}
          schema={schema}
          problems={problems}
          onChange={change}
          onRemoveTrait={moveUp}
        />
      )}
      <FormFooter
        draft={draft}
        problems={elsewhere}
        failure={failure}
        isSaving={isSaving}
        onMessage={message => change({ message })}
        onCancel={leave}
      >
        {mayPublish() && id !== undefined && draft.base && (
          <Delete id={id} name={draft.base.name} revision={draft.base.revision} onDeleted={leave} />
        )}
      </FormFooter>
    </form>
  )
}

/** Whether the form shows the field of a document problem. */
const hasField = (problem: Problem, schema: Schema): boolean => {
  const field = fieldOf(problem)
  return (
    /^\/attributes\/\d+\/(trait_type|value)$/.test(field) ||
    keysOf(schema).some(([key]) => field === `/${key}`)
  )
}

function Views({ view, onView }: { view: View; onView: (view: View) => void }) {
  return (
    <div class="tabs views">
      {(['form', 'text'] as const).map(name => (
        <button key={name} type="button" aria-pressed={view === name} onClick={() => onView(name)}>
          {name === 'form' ? 'Document' : 'Text'}
        </button>
      ))}
    </div>
  )
}
