// Sets the chosen theme before the first paint. A file of its own, because the content security policy refuses inline scripts.
try {
  const theme = localStorage.getItem('flagsvc.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage is blocked: the theme of the system applies.
}
