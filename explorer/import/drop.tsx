import { useState } from 'preact/hooks'

/** Where a file is dropped, or chosen; small beside what a file has in it. */
export function Drop({ small, onFile }: { small: boolean; onFile: (file: File) => void }) {
  const [isOver, setOver] = useState(false)
  const take = (files: FileList | null | undefined) => {
    const [file] = files ?? []
    if (file) onFile(file)
  }
  return (
    <section
      class={`drop ${small ? 'small' : ''} ${isOver ? 'over' : ''}`}
      aria-label="File"
      onDragOver={event => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={event => {
        event.preventDefault()
        setOver(false)
        take(event.dataTransfer?.files)
      }}
    >
      <p>
        <strong>Drop a file here.</strong> You see what it would change before anything is written.
      </p>
      <p class="muted formats">
        A spreadsheet as XLSX or CSV with any columns, a JSON array, or a JSON object in each line.
      </p>
      <label class="button">
        {small ? 'Choose another file' : 'Choose a file'}
        <input
          class="hidden-visually"
          type="file"
          accept=".xlsx,.xlsm,.csv,.tsv,.txt,.json,.ndjson,.jsonl"
          onChange={event => take(event.currentTarget.files)}
        />
      </label>
    </section>
  )
}
