interface Props {
  label: string
  /** Types and endings of files, as in HTML. */
  accept: string
  isDisabled?: boolean
  /** Whether several files can be chosen. */
  isMultiple?: boolean
  onFiles: (files: File[]) => void
}

/** A button that lets the user choose files. */
export function FileButton({ label, accept, isDisabled = false, isMultiple = false, onFiles }: Props) {
  return (
    <label class="button">
      {label}
      <input
        class="hidden-visually"
        type="file"
        accept={accept}
        disabled={isDisabled}
        multiple={isMultiple}
        onChange={event => {
          const files = [...(event.currentTarget.files ?? [])]
          if (files.length > 0) onFiles(files)
        }}
      />
    </label>
  )
}
