package rules

import "time"

// weekWords are written before the number of a week.
var weekWords = map[string]bool{
	"w": true, "wk": true, "week": true, "semana": true, "sem": true, "woche": true, "kw": true, "semaine": true, "s": true,
}

// fillers stand between the parts of a date: 4 de junho de 2026, 4th, 1er.
var fillers = map[string]bool{
	"de": true, "of": true, "the": true, "le": true, "der": true, "den": true, "st": true, "nd": true, "rd": true,
	"th": true, "er": true, "feira": true, "del": true, "am": true,
}

// months are the names and short names of months in five languages, lower case.
var months = map[string]time.Month{
	"january": 1, "jan": 1, "janeiro": 1, "enero": 1, "ene": 1, "januar": 1, "jänner": 1, "janvier": 1, "janv": 1,
	"february": 2, "feb": 2, "fevereiro": 2, "fev": 2, "febrero": 2, "februar": 2, "février": 2, "fevrier": 2, "févr": 2, "fév": 2,
	"march": 3, "mar": 3, "março": 3, "marco": 3, "marzo": 3, "märz": 3, "maerz": 3, "mrz": 3, "mär": 3, "mars": 3,
	"april": 4, "apr": 4, "abril": 4, "abr": 4, "avril": 4, "avr": 4,
	"may": 5, "maio": 5, "mai": 5, "mayo": 5,
	"june": 6, "jun": 6, "junho": 6, "junio": 6, "juni": 6, "juin": 6,
	"july": 7, "jul": 7, "julho": 7, "julio": 7, "juli": 7, "juillet": 7, "juil": 7,
	"august": 8, "aug": 8, "agosto": 8, "ago": 8, "août": 8, "aout": 8,
	"september": 9, "sep": 9, "sept": 9, "setembro": 9, "set": 9, "septiembre": 9, "setiembre": 9, "septembre": 9,
	"october": 10, "oct": 10, "outubro": 10, "out": 10, "octubre": 10, "oktober": 10, "okt": 10, "octobre": 10,
	"november": 11, "nov": 11, "novembro": 11, "noviembre": 11, "novembre": 11,
	"december": 12, "dec": 12, "dezembro": 12, "dez": 12, "diciembre": 12, "dic": 12, "dezember": 12, "décembre": 12, "decembre": 12, "déc": 12,
}

// weekdays are the names and short names of weekdays in five languages, lower case. Short names of two
// letters are left out: they are too often codes of something else.
var weekdays = map[string]time.Weekday{
	"monday": 1, "mon": 1, "segunda": 1, "segunda-feira": 1, "seg": 1, "lunes": 1, "lun": 1, "montag": 1, "lundi": 1,
	"tuesday": 2, "tue": 2, "tues": 2, "terça": 2, "terça-feira": 2, "terca": 2, "terca-feira": 2, "ter": 2, "martes": 2, "dienstag": 2, "mardi": 2,
	"wednesday": 3, "wed": 3, "quarta": 3, "quarta-feira": 3, "qua": 3, "miércoles": 3, "miercoles": 3, "mié": 3, "mie": 3, "mittwoch": 3, "mercredi": 3, "mer": 3,
	"thursday": 4, "thu": 4, "thur": 4, "thurs": 4, "quinta": 4, "quinta-feira": 4, "qui": 4, "jueves": 4, "jue": 4, "donnerstag": 4, "jeudi": 4, "jeu": 4,
	"friday": 5, "fri": 5, "sexta": 5, "sexta-feira": 5, "sex": 5, "viernes": 5, "vie": 5, "freitag": 5, "vendredi": 5, "ven": 5,
	"saturday": 6, "sat": 6, "sábado": 6, "sabado": 6, "sáb": 6, "sab": 6, "samstag": 6, "sonnabend": 6, "samedi": 6, "sam": 6,
	"sunday": 0, "sun": 0, "domingo": 0, "dom": 0, "sonntag": 0, "dimanche": 0, "dim": 0,
}
