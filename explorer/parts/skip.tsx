/** The first thing that the keyboard comes to on every page: a way past the header, and past the filters of the gallery. */
export const Skip = () => (
  <button type="button" class="button skip" onClick={skip}>
    Skip to the content
  </button>
)

function skip(): void {
  document.querySelector<HTMLElement>('main')?.focus()
}
