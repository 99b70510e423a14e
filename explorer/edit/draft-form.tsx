import { useEffect, useState } from 'preact/hooks'
import { ColumnsForm } from './columns-form.tsx'
import { Delete } from './delete.tsx'
import { DocumentForm } from './document-form.tsx'
import type { Draft } from './draft.ts'
import { Foot } from './foot.tsx'
import { readSchema, type Schema } from './schema.ts'
import type { Editing } from './use-editing.ts'

type View = 'form' | 'text'

interface Props {
  id: number | undefined
  draft: Draft
  editing: Editing
}

/** The form: the columns, then the document as fields or as its text. Both are always in step. */
export function DraftForm({ id, draft, editing }: Props) {
  const { problems, failure, newest, change, submit, compare, leave } = editing
  const [schema, setSchema] = useState<Schema>()
  const [view, setView] = useState<View>('form')
  useEffect(() => {
    readSchema().then(setSchema, () => setView('text'))
  }, [])
  const isText = view === 'text' || !schema
  const elsewhere = problems.filter(({ path, pointer }) =>
    pointer === null ? !columns.has(path.at(-1) ?? '') : isText || pointer === ''
  )
  return (
    <form
      noValidate
      onSubmit={event => {
        event.preventDefault()
        submit()
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
      <Views view={view} onView={setView} />
      {isText ? (
        <textarea
          class="field raw"
          aria-label="Text of the document"
          spellcheck={false}
          value={draft.data}
          onInput={event => change({ data: event.currentTarget.value })}
        />
      ) : (
        <DocumentForm
          data={draft.data}
          schema={schema}
          problems={problems}
          onChange={data => change({ data })}
        />
      )}
      <Foot
        draft={draft}
        problems={elsewhere}
        failure={failure}
        onMessage={message => change({ message })}
        onCancel={leave}
      >
        {id !== undefined && draft.base && (
          <Delete id={id} revision={draft.base.revision} onDeleted={leave} />
        )}
      </Foot>
    </form>
  )
}

/** Columns with a field of their own. */
const columns = new Set(['name', 'componentName', 'blockchainId', 'maxItems'])

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
