// What the page remembers of how someone works: kept in this browser, or in memory where it keeps nothing; or in this tab.

const unkept = new Map();

/** The value kept under a name, or null. */
export function recall(name) {
  if (unkept.has(name)) return unkept.get(name);
  try { return JSON.parse(localStorage.getItem(`workbench.${name}`)); } catch { return null; }
}

/** Keep a value that JSON can hold, null to forget it. False: only until the page is left. */
export function remember(name, value) {
  try {
    if (value === null) localStorage.removeItem(`workbench.${name}`);
    else localStorage.setItem(`workbench.${name}`, JSON.stringify(value));
    unkept.delete(name);
    return true;
  } catch {
    unkept.set(name, value);
    return false;
  }
}

/** The value this tab keeps under a name, over a reload, or null. */
export function recallInTab(name) {
  try { return JSON.parse(sessionStorage.getItem(`workbench.${name}`)); } catch { return null; }
}

/** Keep a value that JSON can hold until the tab is closed. False: the browser has no room for it, or keeps nothing. */
export function rememberInTab(name, value) {
  try { sessionStorage.setItem(`workbench.${name}`, JSON.stringify(value)); return true; } catch { return false; }
}
