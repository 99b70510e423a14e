import type { TargetedKeyboardEvent } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import { mayPublish } from '../api.ts'
import { readKnownTraits } from '../filters/telling.ts'
import { focusUnreadable } from '../numbers/read-input.tsx'
import { Button } from '../ui/button.tsx'
import { withLineBreaks } from '../ui/inputs.tsx'
import { Failure, Loading } from '../ui/reading.tsx'
import { useRead } from '../ui/use-read.ts'
import { ColumnsForm, fieldColumns } from './columns-form.tsx'
import { DocumentForm } from './document-form.tsx'
import type { Draft } from './draft.ts'
import { Delete, FormFooter } from './form-footer.tsx'
import { fieldOf, type Problem, toSentence } from './problem.ts'
import { keysOf, readSchema, type Schema } from './schema.ts'
import type { Editing } from './use-editing.ts'
import { rememberField, useFocus } from './use-focus.ts'
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
  // Without the schema, there is no form.
  const { data: schema, hasFailed, reread } = useRead(readSchema, [])
  const { data: facets } = useRead(readKnownTraits, [])
  const [view, setView] = useState<View>('form')
  const isText = view === 'text' || hasFailed
  const { problems, touch, moveUp, showAll } = useProblems(draft, schema, refused)
  const touchTarget = (event: Event) => touch((event.target as HTMLElement).dataset.field)
  const form = useRef<HTMLFormElement>(null)
  const isUnreadable = () => form.current !== null && focusUnreadable(form.current)
  const focusProblem = useFocus(form, editing, isText || (schema && facets) !== undefined)
  const elsewhere =
    isText || !schema ? [] : problems.filter(problem => isOfDocument(problem) && !hasField(problem, schema))
  return (
    <form
      ref={form}
      noValidate
      // What is typed while it is saved would be lost.
      inert={isSaving}
      onFocusOut={touchTarget}
      onChange={event => {
        touchTarget(event)
        rememberField(event.target as HTMLElement, draft)
      }}
      onKeyDown={pressKey}
      onSubmit={event => {
        event.preventDefault()
        const isRefused = showAll()
        if (isUnreadable() || isRefused) {
          refuse()
          focusProblem()
        } else submit()
      }}
    >
      {newest > (draft.base?.revision ?? newest) && <Newer revision={newest} onCompare={compare} />}
      <ColumnsForm draft={draft} problems={problems} onChange={change} />
      <Views view={view} onView={next => isUnreadable() || setView(next)} />
      {view === 'form' && hasFailed && (
        <Failure problem="The fields of the document could not be read." onRetry={reread} />
      )}
      {isText ? (
        <TextForm
          data={draft.data}
          problems={problems.filter(isOfDocument)}
          onChange={data => change({ data })}
        />
      ) : !schema || !facets ? (
        <Loading />
      ) : (
        <DocumentForm
          draft={draft}
          schema={schema}
          facets={facets}
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

/**
 * Ctrl and Enter save, also from a long text; Escape cancels. The browser has its own use for a key that ends a
 * composition, which Safari tells only by the code 229, or that closes a list of suggestions.
 */
function pressKey(event: TargetedKeyboardEvent<HTMLFormElement>): void {
  const { key, currentTarget: form } = event
  if (event.isComposing || event.keyCode === 229 || event.defaultPrevented) return
  const target = event.target as HTMLElement
  if (target.closest('dialog')) return
  const isInvalid = form.matches(':invalid')
  const isInField = target.matches('input:not([type=file])')
  const isSaving = key === 'Enter' && (event.ctrlKey || event.metaKey || (isInvalid && isInField))
  const button = isSaving ? '[type=submit]' : key === 'Escape' ? '.button.cancel' : undefined
  if (button === undefined) return
  event.preventDefault()
  // If nothing but an unreadable text was typed, the button is disabled.
  if (isSaving && isInvalid) form.requestSubmit()
  else form.querySelector<HTMLElement>(button)?.click()
}

const Newer = ({ revision, onCompare }: { revision: number; onCompare: () => void }) => (
  <p class="notice" role="status">
    Somebody saved revision {revision} meanwhile. <Button onClick={onCompare}>Compare</Button>
  </p>
)

const isOfDocument = (problem: Problem): boolean => !fieldColumns.some(column => column === fieldOf(problem))

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

interface TextProps {
  data: string
  problems: Problem[]
  onChange: (data: string) => void
}

/** The maximum number of problems that are shown. */
const maxProblems = 20

/** The document as text, with its problems. */
function TextForm({ data, problems, onChange }: TextProps) {
  const id = useId()
  const isWrong = problems.length > 0
  return (
    <div class="form-field">
      <textarea
        class="field mono raw"
        aria-label="Text of the document"
        aria-invalid={isWrong || undefined}
        aria-describedby={isWrong ? id : undefined}
        data-field="data"
        spellcheck={false}
        value={data}
        onInput={event => onChange(withLineBreaks(event.currentTarget.value, data))}
      />
      {isWrong && (
        <ul class="problems" id={id}>
          {problems.slice(0, maxProblems).map(problem => (
            <li key={`${problem.pointer} ${problem.message}`} class="problem">
              {toSentence(problem)}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
