interface Props {
  label: string
  /** Types and endings of files, as in HTML. */
  accept: string
  isDisabled?: boolean
  onFile: (file: File) => void
}

/** A button that lets the user choose a file. */
export function FileButton({ label, accept, isDisabled = false, onFile }: Props) {
  return (
    <label class="button">
      {label}
      <input
        class="hidden-visually"
        type="file"
        accept={accept}
        disabled={isDisabled}
        onChange={event => {
          const [file] = event.currentTarget.files ?? []
          if (file) onFile(file)
        }}
      />
    </label>
  )
}
