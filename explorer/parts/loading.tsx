/** Shown in place of what is being read. It appears after a moment, because most responses arrive earlier. */
export const Loading = () => (
  <p class="loading muted" role="status">
    Loading…
  </p>
)
