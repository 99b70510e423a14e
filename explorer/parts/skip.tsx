/** The first keyboard focus on every page: skips the header and the filters. */
export const Skip = () => (
  <button type="button" class="button skip" onClick={focusMain}>
    Skip to the content
  </button>
)

function focusMain(): void {
  document.querySelector<HTMLElement>('main')?.focus()
}
